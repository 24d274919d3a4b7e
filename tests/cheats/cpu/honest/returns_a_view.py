# trick = "a view of a new buffer"
# expect = ["PASSED"]
# returns = true
# duel = "no refusal"
"""Returns the rows that it needs of a buffer with one row more."""

import torch


def run(x):
    buffer = torch.empty(len(x) + 1, x.shape[1])
    torch.softmax(x, dim=1, out=buffer[1:])
    return buffer[1:]
