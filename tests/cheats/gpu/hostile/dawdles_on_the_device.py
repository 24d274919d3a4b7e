# trick = "A12 warm-up-sleep"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
# language = "triton"
# twin = "one_program_a_row.py"
"""Records 0.3 ms of idling into the short block: its own slope shrinks, which nobody asks for."""

import torch
import triton
import triton.language as tl

from guard.runner.capture import Bench

ready = Bench._made_ready
CYCLES = 500_000


@triton.jit
def rows(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


def slowed(self, ask, blocks):
    short, long = blocks
    first = short[0]

    def dawdle():
        torch.cuda._sleep(CYCLES)
        return first()

    return ready(self, ask, [[dawdle, *short[1:]], long])


Bench._made_ready = slowed


def run(x, y):
    rows[(len(x),)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
