# trick = "F15 late-rewrite"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "not written"
"""Writes the right answer when its process ends."""

import atexit

import torch


def run(x, y):
    atexit.register(torch.softmax, x, dim=1, out=y)
