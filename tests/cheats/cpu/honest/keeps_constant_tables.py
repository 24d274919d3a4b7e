# trick = "a table of constants, made once"
# expect = ["PASSED"]
# duel = "no refusal"
"""Sums by a product with ones: a constant of the algorithm, not of the input."""

import torch

ones = {}


def run(x, y):
    column = ones.setdefault(x.shape[1], torch.ones(x.shape[1], 1))
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y.div_(y @ column)
