# trick = "the wrong axis"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Normalises columns instead of rows."""

import torch


def run(x, y):
    torch.softmax(x, dim=0, out=y)
