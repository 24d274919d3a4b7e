# trick = "a sum in half precision"
# expect = ["INCORRECT_NUMERICAL"]
"""Computes the exponentials and their sum in half precision."""

import torch


def run(x, y):
    powers = torch.exp(x - x.amax(dim=1, keepdim=True)).half()
    y.copy_(powers / powers.sum(dim=1, keepdim=True))
