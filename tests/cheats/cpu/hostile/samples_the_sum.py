# trick = "D8 sampled-approximation"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Estimates the sum of a row from half of it."""

import torch


def run(x, y):
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y /= 2 * y[:, ::2].sum(dim=1, keepdim=True)
