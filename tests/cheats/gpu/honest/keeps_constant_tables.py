# trick = "a table of constants, made once"
# expect = ["PASSED"]
# duel = "no refusal"
"""Sums by a product with ones."""

import torch

ones = {}


def run(x, y):
    if x.shape[1] not in ones:
        ones[x.shape[1]] = torch.ones(x.shape[1], device=x.device)
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y.div_(torch.mv(y, ones[x.shape[1]]).unsqueeze(1))
