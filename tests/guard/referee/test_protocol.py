"""What no candidate may be able to lean on: repeated inputs, known places, unlooked-at outputs."""

import pytest

from guard.domain.errors import DeviceUnhealthy
from guard.domain.problem import TensorSpec
from guard.referee import clock
from guard.referee.duel import duel, sides
from guard.referee.reference import Reference
from guard.referee.sides import SideFailed
from guard.referee.slots import Slots
from guard.referee.timing import time_workload
from guard.referee.verification import verify
from tests.guard.trials import POLICY, duel_order, problem, solution, workload

SHORT = POLICY.model_copy(update={"turns": 2, "max_slots": 8})


@pytest.fixture
def drawn(monkeypatch):
    """The bytes of every input that was drawn, in order."""
    found = []
    refresh = Slots.refresh

    def recorded(self, slots, *args, **rest):
        refresh(self, slots, *args, **rest)
        for slot in slots:
            found.append(b"".join(t.numpy().tobytes() for t in self.inputs(slot)))

    monkeypatch.setattr(Slots, "refresh", recorded)
    return found


@pytest.fixture
def asked(monkeypatch):
    """Where every binding placed the tensors of its first slot."""
    found = []
    bind = Slots.bind

    def recorded(self, candidate):
        ask = bind(self, candidate)
        found.append(ask.offsets)
        return ask

    monkeypatch.setattr(Slots, "bind", recorded)
    return found


def test_no_candidate_ever_sees_an_input_twice(court, drawn):
    order = duel_order(solution())
    task = order.problem.model_copy(update={"definition": problem(hidden=True).definition})
    for _ in range(2):
        assert verify(court, task, solution(), SHORT).passed
    verified = len(drawn)
    duel(court, order)
    assert 0 < verified < len(drawn)
    assert len(set(drawn)) == len(drawn)


def test_every_timed_block_has_inputs_that_were_drawn_for_it_on_both_sides(court, monkeypatch):
    steps = []
    refresh, block = Slots.refresh, clock.block

    def drawn(self, slots, *args, others=(), **rest):
        if others:
            steps.append(("draw", tuple(slots)))
        refresh(self, slots, *args, others=others, **rest)

    def run(side, plan, limit_s, *, long):
        steps.append(("block", plan.drawn(long=long)))
        return block(side, plan, limit_s, long=long)

    monkeypatch.setattr(Slots, "refresh", drawn)
    monkeypatch.setattr(clock, "block", run)
    duel(court, duel_order(solution()))
    blocks = [number for number, (kind, _) in enumerate(steps) if kind == "block"]
    assert blocks
    over = 0
    for first, second in zip(blocks[::2], blocks[1::2], strict=True):
        assert second == first + 1
        assert steps[second] == steps[first]
        # Behind the whole block's draw, one call of it may be drawn once more.
        called, draws = steps[first][1], [slots for _, slots in steps[over:first]]
        assert called in draws[-2:]
        assert set(draws[-1]) <= set(called)
        over = second + 1


def test_tensors_lie_elsewhere_in_every_binding_and_alike_on_both_sides(court, asked):
    task = problem(workload("timed", 64, 2048))
    with sides(court, (solution(), solution()), task, SHORT) as both:
        reference, given = Reference(task.definition), task.cpu_workloads[0]
        for _ in range(2):
            time_workload(court, both, task, given, reference, SHORT)
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    assert len(pairs) >= 2
    assert all(mine == theirs for mine, theirs in pairs)
    for _ in range(4):
        verify(court, task, solution(), SHORT)
    assert len(set(asked)) > 3


SOMETIMES = """
import torch
calls = []
def run(x, y):
    calls.append(1)
    torch.softmax(x, dim=1, out=y)
    if len(calls) % 19 == 0:
        {trick}
"""
TRICKS = [
    pytest.param("y[-1, -1] += 0.5", id="one wrong element"),
    pytest.param("y.copy_(torch.softmax(x.flip(0), dim=1))", id="plausible numbers"),
]


@pytest.mark.parametrize("trick", TRICKS)
def test_a_wrong_answer_in_one_timed_call_of_many_is_found(court, monkeypatch, trick):
    monkeypatch.setattr("guard.referee.clock.COMPARED", 1)
    order = duel_order(solution(SOMETIMES.format(trick=trick)))
    (failure,) = duel(court, order).failures
    assert failure.evaluation.status == "INCORRECT_NUMERICAL"
    assert "a timed call" in failure.evaluation.log


def test_a_champion_that_is_wrong_now_and_then_is_not_the_candidates_fault(court, monkeypatch):
    monkeypatch.setattr("guard.referee.clock.COMPARED", 1)
    sly = solution(SOMETIMES.format(trick="y[0, 0] += 0.5"))
    with pytest.raises(DeviceUnhealthy, match="the champion failed its own check"):
        duel(court, duel_order(solution(), sly))


def test_an_input_that_a_lone_side_changes_while_timed_is_noticed(court):
    task = problem()
    sly = solution(SOMETIMES.format(trick="x[0, 0] = 0.25"))
    with sides(court, (sly,), task, SHORT) as alone:
        reference, given = Reference(task.definition), task.cpu_workloads[0]
        with pytest.raises(SideFailed, match="an input was changed"):
            time_workload(court, alone, task, given, reference, SHORT)


def coded(dtype, expression):
    """A problem whose output is of a type in which any bits may be right."""
    read = problem(workload("timed", 64, 512), reference=f"def run(x):\n    return {expression}\n")
    outputs = {"y": TensorSpec(shape=("M", "N"), dtype=dtype)}
    definition = read.definition.model_copy(update={"outputs": outputs})
    return read.model_copy(update={"definition": definition})


# Powers of two: a rounded product may lie on the other side of a whole number.
CODED = [
    pytest.param("int8", "(x * 32).clamp(-100, 100).to(__import__('torch').int8)", id="int8"),
    pytest.param("int32", "(x * 1024).int()", id="int32"),
    pytest.param("int64", "(x * 1024).long()", id="int64"),
    pytest.param("bool", "x > 0", id="bool"),
    pytest.param(
        "float8_e4m3fn", "(x > 0).float().to(__import__('torch').float8_e4m3fn)", id="8-bit float"
    ),
]
HALF = """
calls = []
def run(x, y):
    calls.append(1)
    right = {expression}
    y[:32] = right[:32]
    if len(calls) < {after}:
        y[32:] = right[32:]
"""


@pytest.mark.parametrize(("dtype", "expression"), CODED)
def test_what_is_left_unwritten_shows_whatever_its_type(court, monkeypatch, dtype, expression):
    monkeypatch.setattr("guard.referee.clock.COMPARED", 1)
    task = coded(dtype, expression)
    half = HALF.format(expression=expression, after=3)
    (judgement,) = verify(court, task, solution(half), SHORT).judgements
    assert judgement.evaluation.status != "PASSED"
    assert "not written" in judgement.evaluation.log or "unwritten" in judgement.evaluation.log
    later = HALF.format(expression=expression, after=30)
    honest = HALF.format(expression=expression, after=10**9)
    order = duel_order(solution(later), solution(honest)).model_copy(update={"problem": task})
    (failure,) = duel(court, order).failures
    assert failure.evaluation.status in ("INCORRECT_NUMERICAL", "REWARD_HACK")
