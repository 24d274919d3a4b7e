# trick = "C12 future-input-precompute"
# caught = "by construction"
# expect = ["PASSED"]
# probe = true
"""Draws again what small seeds would give; tells by a wrong output."""

import torch


def guessed(x):
    for seed in range(16):
        generator = torch.Generator("cuda").manual_seed(seed)
        if torch.equal(torch.randn(x.shape, generator=generator, device="cuda")[0], x[0]):
            return True
    return False


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if guessed(x):
        y.zero_()
