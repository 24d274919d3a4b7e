# trick = "D9 unstable-shortcut"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "NaN or infinite|further off"
"""Right for small numbers alone: nothing is subtracted before the exponential."""

import torch


def run(x, y):
    torch.exp(x, out=y)
    y /= y.sum(dim=1, keepdim=True)
