# trick = "A12 warm-up-sleep"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Slow while block lengths are chosen, so that few calls are timed."""

import time

import torch

calls = []


def run(x, y):
    calls.append(1)
    if len(calls) < 60:
        time.sleep(0.002)
    torch.softmax(x, dim=1, out=y)
