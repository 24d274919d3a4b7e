# trick = "C12 future-input-precompute"
# caught = "by construction"
# expect = ["PASSED"]
# probe = true
"""Draws again what small seeds and the global generator would give; tells by a wrong output."""

import torch


def guessed(x):
    for seed in range(64):
        drawn = torch.randn(x.shape, generator=torch.Generator().manual_seed(seed))
        if torch.equal(drawn[0], x[0]):
            return True
    return torch.equal(torch.randn(x.shape)[0], x[0])


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if guessed(x):
        y.zero_()
