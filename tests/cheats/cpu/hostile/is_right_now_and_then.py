# trick = "D19 flaky-correctness"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Wrong in nine calls out of ten, like a race."""

import random

import torch


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if random.SystemRandom().random() < 0.9:
        y[0, 0] += 0.5
