# trick = "A12 warm-up-sleep"
# caught = "by construction"
# own_test = "test_dawdling_in_the_short_block_gains_nothing"
"""Sleeps in every short block, so that the difference between both blocks shrinks."""

import time

import torch

from guard.runner.capture import Bench

run_block = Bench.block


def dawdle(self, long):
    if not long:
        time.sleep(0.005)
    return run_block(self, long)


Bench.block = dawdle


def run(x, y):
    torch.softmax(x, dim=1, out=y)
