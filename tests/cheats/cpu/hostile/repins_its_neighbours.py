# trick = "A16 baseline-sabotage"
# caught = "by construction"
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Moves other processes to one core, which it then keeps busy; tells by a wrong output."""

import os

import torch
from told import PIDS


def works(pid):
    try:
        os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))})
    except OSError:
        return False
    return True


leaked = any([works(pid) for pid in PIDS])


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
