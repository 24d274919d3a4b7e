"""`guard.referee.warm`: one slot again and again, with real candidates; it decides nothing."""

import pytest

from guard.benchmark import evaluations
from guard.domain.decision import Policy
from guard.gate import decide
from guard.referee import warm
from guard.referee.blocks import Plan
from guard.referee.duel import duel, sides
from guard.referee.reference import Reference
from guard.referee.timing import time_workload
from tests.guard.duels import QUIET, verification
from tests.guard.trials import HONEST, POLICY, RETURNING, duel_order, problem, solution


@pytest.mark.parametrize(
    "candidate",
    [
        pytest.param(solution(HONEST), id="writes where told"),
        pytest.param(solution(RETURNING, returns=True), id="returns its output"),
    ],
)
def test_both_sides_are_timed_over_one_slot(court, candidate):
    task = problem()
    reference, workload = Reference(task.definition), task.cpu_workloads[0]
    with sides(court, (solution(), candidate), task, POLICY) as both:
        given = (court, both, task, workload, reference, POLICY)
        times = time_workload(*given, audited=True, warm=True)
        assert time_workload(*given).warm == [[], []]
    assert [len(blocks) for blocks in times.warm] == [warm.TURNS] * 2
    assert all(b.long_ms > 0 for blocks in times.warm for b in blocks)
    lengths = {(b.calls, b.long_calls) for blocks in times.plain + times.warm for b in blocks}
    assert len(lengths) == 1


def warming(**other):
    return duel_order(solution(), **other).model_copy(update={"warms": True})


def test_only_a_first_pair_is_timed_warm_where_that_is_asked_for(court):
    first = duel(court, warming(pairs=2))
    assert [t.candidate_warm_ms is None for p in first.pairs for t in p.workloads] == [False, True]
    for other in (warming(first_pair=1), duel_order(solution())):
        unasked = duel(court, other)
        assert [t.candidate_warm_ms for p in unasked.pairs for t in p.workloads] == [None]


def test_the_figure_is_told_and_decides_nothing(court):
    fought = duel(court, warming())
    (timing,) = fought.pairs[0].workloads
    other = timing.model_copy(update={"candidate_warm_ms": 1e-6})
    pair = fought.pairs[0].model_copy(update={"workloads": (other,)})
    faked = fought.model_copy(update={"pairs": (pair,)})
    checked = verification("timed")
    told = evaluations(checked, faked, Policy())["timed"].performance
    assert told.warm_latency_ms == 1e-6
    assert decide(checked, faked, Policy(), QUIET) == decide(checked, fought, Policy(), QUIET)


def test_a_plan_over_one_slot_is_poisoned_once(court):
    task = problem()
    reference, workload = Reference(task.definition), task.cpu_workloads[0]
    with sides(court, (solution(), solution()), task, POLICY) as both:
        plan = time_workload(court, both, task, workload, reference, POLICY).plan
        (side, _) = both
        written = side.outputs(warm.SLOT)[0].clone()
        side.poison(Plan((warm.SLOT,) * 3, (), plan.mode).short)
        assert not side.outputs(warm.SLOT)[0].equal(written)
        assert side.unwritten([warm.SLOT]) == side.elements([warm.SLOT])
        assert side.unwritten(plan.short[1:] or plan.long) == 0
