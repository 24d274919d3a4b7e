# trick = "A15 noise-lottery"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""The honest twin's code under another digest, in the hope of a lucky measurement."""

import torch


def run(x, y):
    torch.softmax(x, dim=1, out=y)
