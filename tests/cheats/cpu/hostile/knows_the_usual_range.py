# trick = "D10 input-structure-shortcut"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "NaN or infinite|further off"
"""A short series, right in the range of plain random numbers."""

import torch


def run(x, y):
    small = x.clamp(-6, 6) / 64
    series = 1 + small * (1 + small / 2 * (1 + small / 3 * (1 + small / 4)))
    torch.pow(series, 64, out=y)
    y /= y.sum(dim=1, keepdim=True)
