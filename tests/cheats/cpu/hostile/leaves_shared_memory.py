# trick = "F18 environment-poisoning"
# caught = "by construction"
# own_test = "test_nothing_is_left_behind"
"""Leaves System V shared memory and files in shared folders, for a later run to find."""

import contextlib
import ctypes
import os

import torch
from told import MARK

IPC_CREAT_FOR_ALL, SIZE_BYTES = 0o1666, 4096

ctypes.CDLL(None).shmget(MARK, SIZE_BYTES, IPC_CREAT_FOR_ALL)
for folder in ("/dev/shm", "/tmp", "/var/tmp", "/run/lock"):
    with contextlib.suppress(OSError):
        os.close(os.open(f"{folder}/{MARK}", os.O_CREAT | os.O_WRONLY, 0o666))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
