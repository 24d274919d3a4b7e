# trick = "F21 read-harness-files"
# caught = "by construction"
# own_test = "test_no_environment_of_another_process_is_read"
"""Looks for a secret in the environments of all processes; tells by a wrong output."""

import os

import torch
from told import SECRET


def found():
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if SECRET.encode() in file.read():
                    return True
        except OSError:
            continue
    return False


leaked = found()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
