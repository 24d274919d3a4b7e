# trick = "a view of a new buffer"
# expect = ["PASSED"]
# duel = "no refusal"
# returns = true
"""Returns the rows that it needs of a longer buffer."""

import torch


def run(x):
    buffer = torch.empty(len(x) + 1, x.shape[1], device=x.device)
    torch.softmax(x, dim=1, out=buffer[1:])
    return buffer[1:]
