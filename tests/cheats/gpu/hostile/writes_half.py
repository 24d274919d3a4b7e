# trick = "D7 partial-work"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "262,144 of 524,288 elements were not written"
"""Leaves the lower half of the rows."""

import torch


def run(x, y):
    half = len(x) // 2
    torch.softmax(x[:half], dim=1, out=y[:half])
