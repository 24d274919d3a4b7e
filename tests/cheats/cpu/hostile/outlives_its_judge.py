# trick = "B6 child-process-deferral"
# caught = "by construction"
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Asks the kernel not to end it with its parent; tells by a wrong output."""

import ctypes

import torch

PR_SET_PDEATHSIG = 1

leaked = ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
