# trick = "a sum in half precision"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "within tolerance|further off"
"""Adds the exponentials up in half precision."""

import torch


def run(x, y):
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y.div_(y.half().cumsum(dim=1, dtype=torch.float16)[:, -1:].float())
