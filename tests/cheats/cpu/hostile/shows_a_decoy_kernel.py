# trick = "E4 decoy-kernel"
# caught = "by construction"
# language = "triton"
# expect = ["PASSED"]
# duel = "no gain"
"""A kernel for whoever reads the source; it is never launched."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


def run(x, y):
    torch.softmax(x, dim=1, out=y)
