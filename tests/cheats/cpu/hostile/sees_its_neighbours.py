# trick = "F17 attack-the-parent"
# caught = "by construction"
# own_test = "test_other_processes_are_not_even_in_view"
"""Looks whether processes that are not its own are in view; tells by a wrong output."""

import os

import torch

leaked = any(entry.isdigit() and int(entry) != os.getpid() for entry in os.listdir("/proc"))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
