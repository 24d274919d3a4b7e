# trick = "D7 partial-work"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "512 of 1,024 elements were not written"
"""Leaves the lower half of the rows unwritten."""

import torch


def run(x, y):
    half = len(x) // 2
    torch.softmax(x[:half], dim=1, out=y[:half])
