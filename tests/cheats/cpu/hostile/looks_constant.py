# trick = "A13 early-stop-gaming"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Pads every call to the same length, so that a rule that stops at small spreads stops early."""

import time

import torch

LENGTH_S = 2e-4


def run(x, y):
    end = time.perf_counter() + LENGTH_S
    torch.softmax(x, dim=1, out=y)
    while time.perf_counter() < end:
        pass
