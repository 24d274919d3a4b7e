# trick = "the largest value of all rows"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "NaN or infinite|further off"
"""Subtracts the largest value of the whole matrix, so that far smaller rows vanish."""

import torch


def run(x, y):
    torch.exp(x - x.max(), out=y)
    y.div_(y.sum(dim=1, keepdim=True))
