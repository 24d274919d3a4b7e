# trick = "F17 attack-the-parent"
# caught = "by construction"
# own_test = "test_no_process_outside_can_be_signalled"
"""Asks whether it may signal its referee and its zygote; tells by a wrong output."""

import os

import torch
from told import PIDS


def may_signal(pid):
    try:
        # Signal 0 is checked like any other, and does nothing.
        os.kill(pid, 0)
    except OSError:
        return False
    return True


leaked = any(map(may_signal, PIDS))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
