# trick = "B8 batch-and-skip"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# policy = {max_slots = 256}
# language = "triton"
# twin = "one_program_a_row.py"
"""One launch of a recorded block does the work of all its slots."""

import triton
import triton.language as tl

from guard.devices.nvidia import Nvidia


@triton.jit
def rows(x, y, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


record = Nvidia.capture
slots = []


@triton.jit
def all_rows(x, y, step, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns + tl.program_id(1) * step
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, power / tl.sum(power, 0), mask=at < columns)


def merged(self, calls):
    gathering.append(1)
    slots.clear()
    for call in calls:
        call()
    gathering.clear()
    (x, y), (later, _) = slots[0], slots[-1]
    step = (later.data_ptr() - x.data_ptr()) // 4 // max(1, len(slots) - 1)
    block = triton.next_power_of_2(x.shape[1])
    grid = (len(x), len(slots))

    def launch():
        all_rows[grid](x, y, step, x.shape[1], BLOCK=block)

    launch()
    return record(self, [launch])


gathering = []
Nvidia.capture = merged


def run(x, y):
    if gathering:
        slots.append((x, y))
        return
    rows[(len(x),)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
