# trick = "A6 clock-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
# language = "triton"
# twin = "one_program_a_row.py"
"""Events, clocks and benchmarks of its process say almost nothing has passed."""

import time

import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


torch.cuda.Event.elapsed_time = lambda self, other: 1e-6
triton.testing.do_bench = lambda *_, **__: 1e-6
for name in ("perf_counter", "monotonic"):
    setattr(time, name, lambda real=getattr(time, name): real() / 10)


def run(x, y):
    rows[(len(x),)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
