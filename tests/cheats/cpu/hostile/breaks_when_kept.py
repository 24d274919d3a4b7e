# trick = "F4 module-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Fails when its caches are asked for, after it has passed."""

import torch

from guard.runner import main


def fail(folder, base):
    raise RuntimeError("nothing to keep")


main._below = fail


def run(x, y):
    torch.softmax(x, dim=1, out=y)
