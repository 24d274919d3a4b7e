# trick = "a compiler and its helpers at the first call"
# expect = ["PASSED"]
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Honest: torch.compile, whose C++ compiler and helpers run behind the same walls."""

import torch


@torch.compile(dynamic=False)
def softmax(x):
    return torch.softmax(x * 1.0, dim=1)


def run(x, y):
    y.copy_(softmax(x))
