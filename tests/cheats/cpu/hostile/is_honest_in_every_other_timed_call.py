# trick = "C7 phase-detection"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "further off"
"""Cuts corners in half of the timed calls, in the hope that others are looked at."""

import torch

from guard.runner.capture import Bench

run_block = Bench.block
phase = []
calls = []


def note(self, long):
    phase.append(1)
    try:
        return run_block(self, long)
    finally:
        phase.clear()


Bench.block = note


def run(x, y):
    calls.append(1)
    if phase and len(calls) % 2:
        y.fill_(1 / x.shape[1])
    else:
        torch.softmax(x, dim=1, out=y)
