# trick = "no maximum subtracted"
# expect = ["INCORRECT_NUMERICAL"]
"""Overflows where the logits are large."""

import torch


def run(x, y):
    torch.exp(x, out=y)
    y.div_(y.sum(dim=1, keepdim=True))
