"""`guard.referee.duel`: fresh processes in turn, and the failing side is named."""

import pytest

from guard.domain.errors import DeviceUnhealthy
from guard.domain.trace import Duel
from guard.referee import clock
from guard.referee.court import OrderCancelled
from guard.referee.duel import duel
from guard.referee.timing import MIN_LONG
from tests.guard.trials import (
    HONEST,
    POLICY,
    RETURNING,
    WRONG,
    duel_order,
    problem,
    solution,
    workload,
)

TWIN = solution(HONEST + "\n# another digest\n")


def test_a_duel_records_every_turn_of_every_pair(court):
    steps = []
    court.progress = lambda done, total, message: steps.append((done, total, message))
    found = duel(court, duel_order(TWIN, pairs=2, first_pair=1))
    assert (found.champion, found.candidate) == (solution().digest, TWIN.digest)
    assert found.failures == ()
    assert [pair.swapped for pair in found.pairs] == [True, False]
    for pair in found.pairs:
        (timing,) = pair.workloads
        assert (timing.workload, timing.mode) == ("timed", "host")
        assert len(timing.champion_ms) == len(timing.candidate_ms) == 2 * POLICY.turns
        assert MIN_LONG <= timing.calls <= POLICY.max_slots
    assert [s[:2] for s in steps] == [(0, 2), (1, 2)]
    assert steps[0][2] == "timing workload 1 of 1, process pair 2"


def test_what_was_recorded_is_strict_json(court):
    found = duel(court, duel_order(TWIN))
    assert Duel.model_validate_json(found.model_dump_json()) == found


def test_a_champion_may_be_timed_against_itself(court):
    assert duel(court, duel_order(solution())).failures == ()


def test_a_candidate_in_return_style_is_timed(court):
    found = duel(court, duel_order(solution(RETURNING, returns=True)))
    assert found.failures == ()
    assert len(found.pairs) == 1


def test_the_slots_of_a_duel_do_not_count_against_a_candidates_memory(court):
    order = duel_order(TWIN)
    scarce = POLICY.model_copy(update={"memory_bytes": 2**28, "max_slots": 512})
    (workload,) = order.problem.cpu_workloads
    slots_bytes = 2 * 4 * workload.axes["M"] * workload.axes["N"] * scarce.max_slots
    assert slots_bytes > scarce.memory_bytes
    assert duel(court, order.model_copy(update={"policy": scarce})).failures == ()


@pytest.mark.parametrize("handicap", [0.1, -0.1], ids=["a loss", "a gain"])
def test_a_planted_loss_is_made_of_calls_that_are_not_counted(court, monkeypatch, handicap):
    called = []
    ready = clock.make_ready

    def noted(sides, plan, limit_s, ask):
        called.append([len(clock.block_of(side, plan, long=True)) for side in sides])
        ready(sides, plan, limit_s, ask)

    monkeypatch.setattr(clock, "make_ready", noted)
    order = duel_order(TWIN).model_copy(update={"handicap": handicap})
    found = duel(court, order)
    assert found.failures == ()
    (timing,) = found.pairs[0].workloads
    more = round(timing.calls * 0.1)
    champion, candidate = called[-2]
    assert (champion - timing.calls, candidate - timing.calls) == (
        (0, more) if handicap > 0 else (more, 0)
    )


SLOW = HONEST.replace("def run(x, y):\n", "def run(x, y):\n    for _ in range(30): x.exp()\n")


@pytest.mark.parametrize(
    ("screens", "first_pair", "whole"),
    [
        pytest.param(True, 0, False, id="given up"),
        pytest.param(True, 1, True, id="a later pair is whole"),
        pytest.param(False, 0, True, id="not asked for"),
    ],
)
def test_a_hopeless_candidate_is_given_up_in_the_first_pair(court, screens, first_pair, whole):
    assert SLOW != HONEST
    several = problem(*(workload(f"timed-{rows}", rows, 512) for rows in range(64, 72)))
    order = duel_order(solution(SLOW), first_pair=first_pair)
    order = order.model_copy(update={"problem": several, "screens": screens})
    (pair,) = duel(court, order).pairs
    names = [timing.workload for timing in pair.workloads]
    # A busy host may spoil a timing or two, which then says nothing.
    assert POLICY.screened_workloads <= len(names)
    assert (len(names) == len(several.cpu_workloads)) is whole
    assert names == [w.uuid for w in several.cpu_workloads if w.uuid in names]


FAILS = [
    pytest.param(WRONG, "INCORRECT_NUMERICAL", id="wrong"),
    pytest.param("def run(x, y):\n    raise ValueError\n", "RUNTIME_ERROR", id="raises"),
    pytest.param("raise ValueError\n", "RUNTIME_ERROR", id="does not load"),
    pytest.param("def other(x, y):\n    pass\n", "RUNTIME_ERROR", id="no entry"),
    pytest.param("def run(x, y:\n", "COMPILE_ERROR", id="does not compile"),
]


@pytest.mark.parametrize("first_pair", [0, 1], ids=["in order", "swapped"])
@pytest.mark.parametrize(("source", "status"), FAILS)
def test_a_failing_candidate_is_told_with_its_workload(court, source, status, first_pair):
    found = duel(court, duel_order(solution(source), first_pair=first_pair, pairs=2))
    assert found.pairs == ()
    (failure,) = found.failures
    assert (failure.workload, failure.evaluation.status) == ("timed", status)


@pytest.mark.parametrize("first_pair", [0, 1], ids=["in order", "swapped"])
@pytest.mark.parametrize("source", [WRONG, "raise ValueError\n"], ids=["wrong", "does not load"])
def test_a_failing_champion_is_never_the_candidates_fault(court, source, first_pair):
    order = duel_order(solution(), solution(source), first_pair=first_pair)
    with pytest.raises(DeviceUnhealthy, match="the champion"):
        duel(court, order)


def test_a_cancelled_duel_ends(court):
    def cancel_at_once(done, total, message):
        court.cancel()

    court.progress = cancel_at_once
    try:
        with pytest.raises(OrderCancelled):
            duel(court, duel_order(TWIN, pairs=2))
    finally:
        court.resume()
        court.progress = lambda done, total, message: None
