# trick = "A4 pre-start-work"
# caught = "by check"
# own_test = "test_work_shifted_to_another_block_is_found_or_gains_nothing"
"""Does the work of the long block in the short one, where the short one comes first."""

import torch

from guard.runner.capture import Bench

run_block = Bench.block
blocks = []
ahead = []


def hurry(self, long):
    blocks.append(long)
    comes_first = len(blocks) % 2 == 1
    if comes_first and not long:
        ahead.append(1)
        run_block(self, True)
    elif ahead:
        ahead.clear()
        return ()
    return run_block(self, long)


Bench.block = hurry


def run(x, y):
    torch.softmax(x, dim=1, out=y)
