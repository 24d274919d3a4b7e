# trick = "D20 input-mutation"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "input was changed during a timed block"
"""Right in every call; after a timed block it has left its inputs as zeros."""

import torch

from guard.runner.capture import Bench

run_block = Bench.block
inputs = []


def clean(self, long):
    answer = run_block(self, long)
    for x in inputs:
        x.zero_()
    return answer


Bench.block = clean


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if not any(x is known for known in inputs):
        inputs.append(x)
