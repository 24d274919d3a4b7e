"""`guard.referee.constants`: sets that are cold, and a copy that no runner reaches."""

import pytest
import torch

from guard.devices.cpu import DEVICE
from guard.referee.constants import (
    CACHE_BYTES,
    COLD,
    LEAST_SETS,
    MOST_SETS,
    Constants,
    needed_bytes,
    room,
    sets,
)
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference
from guard.referee.slots import Layout, Slots
from tests.guard.trials import linear, problem, solution, workload

COLD_BYTES = COLD * CACHE_BYTES["cpu"]
COUNTS = [
    # bytes of a set, slots, expected sets
    pytest.param(0, 100, 0, id="no constant input"),
    pytest.param(COLD_BYTES, 100, LEAST_SETS, id="large: the fewest"),
    pytest.param(COLD_BYTES // 6, 100, 6, id="as many as leave the cache"),
    pytest.param(COLD_BYTES // 6 - 1, 100, 7, id="rounded up"),
    pytest.param(256, 100, MOST_SETS, id="small: the most"),
    pytest.param(256, 3, 3, id="no more than slots"),
    pytest.param(COLD_BYTES, 1, 1, id="a single slot"),
]


@pytest.mark.parametrize(("set_bytes", "slots", "expected"), COUNTS)
def test_sets_together_exceed_the_cache(set_bytes, slots, expected):
    assert sets(set_bytes, slots, "cpu") == expected


def test_neighbours_never_share_a_set_and_all_are_used_in_an_order_of_their_own():
    placed = [torch.empty(5, 3)]
    orders = {Constants(placed, 20, order).of_slot for order in range(30)}
    assert len(orders) > 10
    for of_slot in orders:
        assert sorted(of_slot[:5]) == list(range(5))
        assert of_slot[5:10] == of_slot[:5]


def bound(task, count, most):
    layout = Layout.of(task.definition, task.cpu_workloads[0])
    arena = DEVICE.allocate(DEVICE.found()[0], count * layout.slot_bytes + most * layout.set_bytes)
    made = Slots(layout, arena, count, Reference(task.definition), "", most)
    made.draw_constants(1)
    made.refresh(range(count), 2)
    arena.close()
    return made


def test_each_set_has_values_of_its_own_and_drawing_a_call_leaves_them():
    made = bound(linear(), 4, 2)
    weights = [made.constants.own(n)[0].clone() for n in range(2)]
    assert not torch.equal(*weights)
    made.refresh(range(4), 3)
    assert all(torch.equal(made.constants.own(n)[0], w) for n, w in enumerate(weights))
    made.draw_constants(4, InputClass.LISTED, [1])
    kept = [torch.equal(made.constants.own(n)[0], w) for n, w in enumerate(weights)]
    assert kept == [True, False]
    assert made.constants.unchanged()


def test_what_is_right_is_told_from_the_copy_that_no_runner_reaches():
    made = bound(linear(), 4, 2)
    before = [a.clone() for a in made.arguments(1)]
    for placed in made.constants._placed:
        placed.zero_()
    assert not made.constants.unchanged()
    x, weight, bias = made.arguments(1)
    assert all(torch.equal(a, b) for a, b in zip((x, weight, bias), before, strict=True))
    assert bool(weight.any())


def test_slots_and_sets_lie_apart():
    made = bound(linear(), 3, 2)
    for slot in range(3):
        for tensor in (*made.inputs(slot), *made.outputs(slot)):
            tensor.fill_(3)
    assert made.constants.unchanged()
    asked = made.bind(solution())
    assert asked.constants.start == 3 * made.layout.slot_bytes
    assert asked.constants.names == ("weight", "bias")
    assert asked.constants.of_slot == made.constants.of_slot


def test_a_problem_without_constants_has_no_sets():
    made = bound(problem(workload()), 3, 2)
    assert made.constants.of_slot == ()
    assert made.layout.set_bytes == 0
    assert made.constants.unchanged()
    assert made.bind(solution()).constants is None


def test_memory_holds_all_sets_beside_its_slots():
    task = linear()
    layout = Layout.of(task.definition, task.cpu_workloads[0])
    needed = needed_bytes(layout, 10, "cpu")
    assert needed >= 10 * layout.slot_bytes + MOST_SETS * layout.set_bytes
    assert room(layout, needed, "cpu") == 10
