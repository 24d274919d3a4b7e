# trick = "F17 attack-the-parent"
# caught = "by construction"
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Reads memory, environments and descriptors of other processes; tells by a wrong output."""

import ctypes
import os

import torch
from told import PIDS

PTRACE_SEIZE = 0x4206
_libc = ctypes.CDLL(None, use_errno=True)


def read(path):
    with open(path, "rb") as file:
        if not file.read(8):
            raise OSError


def trace(pid):
    if _libc.ptrace(PTRACE_SEIZE, pid, None, None):
        raise OSError


def open_descriptor(pid):
    for number in os.listdir(f"/proc/{pid}/fd"):
        os.open(f"/proc/{pid}/fd/{number}", os.O_RDONLY)


WAYS = (
    lambda pid: read(f"/proc/{pid}/environ"),
    lambda pid: read(f"/proc/{pid}/maps"),
    lambda pid: read(f"/proc/{pid}/auxv"),
    lambda pid: os.open(f"/proc/{pid}/mem", os.O_RDWR),
    lambda pid: os.listdir(f"/proc/{pid}/cwd"),
    open_descriptor,
    trace,
    os.pidfd_open,
)


def works(way, pid):
    try:
        way(pid)
    except OSError:
        return False
    return True


leaked = any([works(way, pid) for way in WAYS for pid in PIDS])


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
