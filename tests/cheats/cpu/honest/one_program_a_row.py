# trick = "a Triton kernel, by its interpreter on a CPU"
# language = "triton"
# expect = ["PASSED"]
"""One program for each row."""

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
    columns = x.shape[1]
    softmax_rows[(len(x),)](x, y, columns, BLOCK=triton.next_power_of_2(columns))
