# trick = "one call of the library, written where told"
# expect = ["PASSED"]
# duel = "no refusal"
"""Writes every output of every call."""

import torch


def run(x, y):
    torch.softmax(x, dim=1, out=y)
