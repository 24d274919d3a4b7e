# trick = "F17 attack-the-parent"
# caught = "by construction"
# expect = ["PASSED"]
# probe = true
# walls = ["uid", "pid"]
"""Asks for its parents' memory by system calls, and to trace them; tells by a wrong output."""

import ctypes
import os

import torch

libc = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH = 16, 17


class Span(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def reachable(pid):
    mine = ctypes.create_string_buffer(8)
    here = Span(ctypes.addressof(mine), 8)
    # A fork has its parent's layout, so an address of ours is one of theirs.
    there = Span(ctypes.cast(libc.getpid, ctypes.c_void_p).value, 8)
    if libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) == 8:
        return True
    attached = libc.ptrace(ATTACH, pid, None, None) == 0
    libc.ptrace(DETACH, pid, None, None)
    return attached


above = [pid for pid in (os.getppid(), 1) if pid not in (0, os.getpid())]
leaked = any(map(reachable, above))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
