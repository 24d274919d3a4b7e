# trick = "asks for addresses and remembers launches by shape and alignment"
# expect = ["PASSED"]
# duel = "no refusal"
# language = "triton"
# twin = "one_program_a_row.py"
"""A pointer's alignment decides on the warps; each kind of launch is prepared once."""

from functools import lru_cache

import triton
import triton.language as tl


@triton.jit
def rows(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


@lru_cache(maxsize=64)
def prepared(shape, aligned):
    block = triton.next_power_of_2(shape[1])
    return rows[(shape[0],)], block, 8 if aligned and block >= 2048 else 4


def run(x, y):
    aligned = (x.data_ptr() | y.data_ptr()) % 16 == 0
    launch, block, warps = prepared(tuple(x.shape), aligned)
    launch(x, y, x.shape[1], BLOCK=block, num_warps=warps)
