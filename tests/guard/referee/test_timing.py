"""`guard.referee.timing`: one workload on two loaded sides, with real candidates."""

from statistics import median
from types import SimpleNamespace

import pytest

from guard.domain.problem import TensorSpec
from guard.referee.asking import ask_each
from guard.referee.blocks import Plan
from guard.referee.clock import capture, turn
from guard.referee.drawing import MANY, _unusual
from guard.referee.duel import sides
from guard.referee.reference import Reference
from guard.referee.sides import SideFailed
from guard.referee.slots import Layout
from guard.referee.timing import ENOUGH, MIN_LONG, time_workload
from tests.guard.trials import POLICY, problem, solution, workload

SIZED = [
    # what a call of 16 x 64 does besides its work, fewest and most calls of a long block
    pytest.param("pass", 32, 64, id="some microseconds: as many as there are slots for"),
    pytest.param("time.sleep(0.004)", MIN_LONG, MIN_LONG, id="longer than a block: the fewest"),
]


@pytest.mark.parametrize(("extra", "least", "most"), SIZED)
def test_blocks_hold_as_many_calls_as_take_their_length(court, extra, least, most):
    task = problem(workload())
    source = (
        "import time\nimport torch\n\n\ndef run(x, y):\n"
        f"    torch.softmax(x, 1, out=y)\n    {extra}\n"
    )
    policy = POLICY.model_copy(update={"max_slots": 64})
    with sides(court, (solution(), solution(source)), task, policy) as both:
        reference, given = Reference(task.definition), task.cpu_workloads[0]
        plan = time_workload(court, both, task, given, reference, policy).plan
    assert least <= len(plan.long) <= most


DAWDLING = """
import time
import torch
calls = []
def run(x, y):
    calls.append(1)
    torch.softmax(x, 1, out=y)
    if len(calls) <= 36:
        time.sleep(0.004)
"""


def test_who_dawdles_until_blocks_are_sized_does_not_shorten_them(court):
    task = problem(workload())
    policy = POLICY.model_copy(update={"max_slots": 64})
    with sides(court, (solution(), solution(DAWDLING)), task, policy) as both:
        reference, given = Reference(task.definition), task.cpu_workloads[0]
        times = time_workload(court, both, task, given, reference, policy)
    assert len(times.plan.long) > MIN_LONG / ENOUGH
    assert [len(blocks) for blocks in times.plain] == [2 * policy.turns] * 2


def test_both_sides_are_timed_on_the_same_fresh_inputs(court):
    task = problem()
    reference = Reference(task.definition)
    workload = task.cpu_workloads[0]
    with sides(court, (solution(), solution()), task, POLICY) as both:
        measured = time_workload(court, both, task, workload, reference, POLICY)
        plan, times = measured.plan, measured.plain
        before = both[0].slots.inputs(0)[0].clone()
        turn(both, plan, reference, 30)
        for slot in plan.slots:
            mine, theirs = (side.slots.inputs(slot)[0] for side in both)
            assert mine.equal(theirs)
        assert not before.equal(both[0].slots.inputs(0)[0])
        assert [side.unwritten(plan.slots) for side in both] == [0, 0]
    assert [len(measured) for measured in times] == [2 * POLICY.turns] * 2
    assert all(median(b.long_ms for b in measured) > 0 for measured in times)


@pytest.mark.parametrize("long", [MIN_LONG, 16])
def test_every_call_compared_and_every_block_unusual_are_no_trouble(court, monkeypatch, long):
    monkeypatch.setattr("guard.referee.clock.COMPARED", 1)
    monkeypatch.setattr("guard.referee.drawing.UNUSUAL", 1)
    task = problem()
    reference, given = Reference(task.definition), task.cpu_workloads[0]
    policy = POLICY.model_copy(update={"max_slots": 32})
    with sides(court, (solution(), solution()), task, policy) as both:
        plan = Plan.of(long, "host")
        layout = Layout.of(task.definition, given)
        given = (layout, len(plan.slots), reference, task, policy.call_limit_s, 1)
        ask_each(both, [side.lay(*given) for side in both], policy.call_limit_s)
        capture(both, plan, policy.call_limit_s)
        # A short block of one call, too: nothing of it may be left out of the comparison.
        measured = turn(both, plan, reference, policy.call_limit_s)
    assert len(plan.short) == long // 4
    assert all(blocks.long_ms > 0 for blocks in measured)


def test_a_short_block_has_no_unusual_call(monkeypatch):
    monkeypatch.setattr("guard.referee.drawing.UNUSUAL", 1)
    task = problem()
    layout = Layout.of(task.definition, task.cpu_workloads[0])
    side = SimpleNamespace(slots=SimpleNamespace(layout=layout))
    assert _unusual(side, tuple(range(MANY - 1))) == {}
    assert len(_unusual(side, tuple(range(MANY)))) == 1


def test_both_sides_are_called_with_the_same_random_scalars(court):
    read = problem()
    scalar = TensorSpec(shape=None, dtype="float32")
    definition = read.definition.model_copy(
        update={
            "reference": "def run(x, s):\n    return x * s\n",
            "inputs": {**read.definition.inputs, "s": scalar},
        }
    )
    (given,) = read.cpu_workloads
    given = given.model_copy(update={"inputs": {**given.inputs, "s": given.inputs["x"]}})
    task = read.model_copy(update={"definition": definition, "cpu_workloads": (given,)})
    honest = solution("import torch\n\n\ndef run(x, s, y):\n    torch.mul(x, s, out=y)\n")
    with sides(court, (honest, honest), task, POLICY) as both:
        times = time_workload(court, both, task, given, Reference(definition), POLICY).plain
    assert [len(measured) for measured in times] == [2 * POLICY.turns] * 2


def test_the_fewest_slots_that_a_policy_allows_are_enough(court):
    task, policy = problem(), POLICY.model_copy(update={"max_slots": 2})
    with sides(court, (solution(), solution()), task, policy) as both:
        reference, given = Reference(task.definition), task.cpu_workloads[0]
        plan = time_workload(court, both, task, given, reference, policy).plan
    assert len(plan.long) == MIN_LONG


SECRETLY = """
import torch
calls = []
def run(x, y):
    calls.append(1)
    torch.softmax(x, dim=1, out=y)
    if len(calls) > 3:
        {trick}
"""
TRICKS = [
    pytest.param("x[0, 0] += 1", "an input was changed", id="changes an input when timed"),
    pytest.param("y.mul_(1.5)", "further off", id="is wrong when timed"),
]


@pytest.mark.parametrize(("trick", "message"), TRICKS)
def test_a_timed_call_is_checked_like_a_plain_one(court, trick, message):
    task = problem()
    sly = solution(SECRETLY.format(trick=trick))
    with sides(court, (solution(), sly), task, POLICY) as both:
        reference, workload = Reference(task.definition), task.cpu_workloads[0]
        with pytest.raises(SideFailed, match=message) as caught:
            time_workload(court, both, task, workload, reference, POLICY)
        assert caught.value.side is both[1]
