# trick = "D7 partial-work"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "64 of 1,024 elements were not written"
"""Skips the last row: few enough for a rule that most elements must match."""

import torch


def run(x, y):
    torch.softmax(x[:-1], dim=1, out=y[:-1])
