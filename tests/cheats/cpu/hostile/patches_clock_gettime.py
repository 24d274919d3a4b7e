# trick = "A8 native-timer-hook"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Overwrites the first instructions of the C library's clock, so that time stands still."""

import ctypes
import platform

import torch

libc = ctypes.CDLL(None)
RETURN_0 = b"\x31\xc0\xc3"


def patch():
    place = ctypes.cast(libc.clock_gettime, ctypes.c_void_p).value
    page = ctypes.c_void_p(place & ~4095)
    if libc.mprotect(page, 8192, 7) == 0:
        ctypes.memmove(place, RETURN_0, len(RETURN_0))


if platform.machine() == "x86_64":
    patch()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
