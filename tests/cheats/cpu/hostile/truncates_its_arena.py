# trick = "F24 exhaustion"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Tries to cut the shared memory of its slots: who read there next would die of SIGBUS."""

import contextlib
import os

import torch


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    for fd in range(3, 64):
        with contextlib.suppress(OSError):
            if "memfd:slots" in os.readlink(f"/proc/self/fd/{fd}"):
                os.ftruncate(fd, 0)
