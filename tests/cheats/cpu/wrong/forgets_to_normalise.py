# trick = "the last step left out"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Exponentials that nobody divides by their sum."""

import torch


def run(x, y):
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
