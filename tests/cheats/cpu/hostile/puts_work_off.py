# trick = "B8 batch-and-skip"
# caught = "by check"
# own_test = "test_work_shifted_to_another_block_is_found_or_gains_nothing"
"""Does the work of the long block in the short one, where the short one comes second."""

import torch

from guard.runner.capture import Bench

run_block = Bench.block
blocks = []
owed = []


def put_off(self, long):
    blocks.append(long)
    comes_first = len(blocks) % 2 == 1
    if long and comes_first:
        owed.append(1)
        return ()
    if owed:
        owed.clear()
        run_block(self, True)
    return run_block(self, long)


Bench.block = put_off


def run(x, y):
    torch.softmax(x, dim=1, out=y)
