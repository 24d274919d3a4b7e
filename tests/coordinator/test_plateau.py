"""The ladder of a claim, from benchmarks alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.plateau import Stage, bound_fraction, own_best, stalled, standing
from guard.domain.bound import Bound
from guard.domain.decision import Policy, Verdict
from memory.records import Benchmark
from tests.coordinator.fakes import benchmark

PLAIN = Policy(nudge_after=3, drafting_after=5, lane_after=8, cooldown=2, trend_credit=2)


def row(history: str) -> list[Benchmark]:
    """``+`` progress, ``!`` a promotion, ``-`` none; the newest last."""
    return [
        benchmark(Verdict.PROMOTED if sign == "!" else Verdict.REVERTED, progress=sign in "+!")
        for sign in history
    ]


@pytest.mark.parametrize(
    ("history", "count", "stage"),
    [
        pytest.param("", 0, Stage.GOING_ON, id="nothing benchmarked"),
        pytest.param("+", 0, Stage.GOING_ON, id="progress"),
        pytest.param("+--", 2, Stage.GOING_ON, id="below the first step"),
        pytest.param("+---", 3, Stage.NUDGE, id="nudge"),
        pytest.param("+----", 4, Stage.NUDGE, id="below drafting"),
        pytest.param("+-----", 5, Stage.DRAFTING, id="drafting"),
        pytest.param("-------", 7, Stage.DRAFTING, id="never any progress"),
        pytest.param("+--------", 8, Stage.ANOTHER_LANE, id="another lane"),
        pytest.param("-----+----", 4, Stage.NUDGE, id="progress starts the count again"),
        pytest.param("!----", 2, Stage.GOING_ON, id="two after a promotion do not count"),
        pytest.param("!-----", 3, Stage.NUDGE, id="and then the others do"),
        pytest.param("!", 0, Stage.GOING_ON, id="a promotion"),
        pytest.param("!-", 0, Stage.GOING_ON, id="within the cooldown"),
    ],
)
def test_the_ladder_goes_by_an_unbroken_row_without_progress(history, count, stage):
    found = standing(row(history), PLAIN)

    assert (found.counted, found.stage) == (count, stage)


@given(st.lists(st.booleans()))
def test_the_counter_is_the_length_of_the_tail(progress):
    history = [benchmark(progress=p) for p in progress]

    tail = len(history) if True not in progress else progress[::-1].index(True)

    assert stalled(history) == tail


@given(st.text(alphabet="+-!", max_size=30), st.sampled_from("+-!"))
def test_one_more_candidate_counts_once_at_most(history, more):
    before, after = standing(row(history), PLAIN), standing(row(history + more), PLAIN)

    assert 0 <= after.counted <= before.counted + 1


@pytest.mark.parametrize(
    ("speeds", "counted"),
    [
        pytest.param((0.5, 0.6, 0.7, 0.8, 0.9), 3, id="ever closer to its best"),
        pytest.param((0.9, 0.5, 0.6, 0.5, 0.6), 5, id="one step may be chance"),
        pytest.param((0.9, 0.9, 0.5, 0.6, 0.7), 3, id="two steps are a direction"),
        pytest.param((0.5, 0.6, 0.7, 0.8, 0.6), 5, id="a trend that broke"),
        pytest.param((0.7, 0.701, 0.702, 0.703, 0.704), 5, id="steps too small to be any"),
        pytest.param((0.9, 0.8, 0.7, 0.6, 0.5), 5, id="ever further"),
    ],
)
def test_a_claim_whose_candidates_get_faster_is_not_stuck(speeds, counted):
    history = [benchmark(progress=True, speedup=1.0), *(benchmark(speedup=s) for s in speeds)]

    assert standing(history, PLAIN).counted == counted


def test_a_figure_that_is_not_believed_is_no_step_of_a_trend():
    verdicts = (Verdict.REVERTED, Verdict.REVERTED, Verdict.SUSPECT)
    history = [benchmark(v, speedup=s) for v, s in zip(verdicts, (0.5, 0.6, 0.9), strict=True)]

    assert standing(history, PLAIN).counted == 3


@pytest.mark.parametrize(
    ("history", "reached", "stage"),
    [
        pytest.param("+---", 0.95, Stage.CEILING, id="nothing left to win"),
        pytest.param("+-----", 0.95, Stage.CEILING, id="instead of drafting"),
        pytest.param("+--", 0.95, Stage.GOING_ON, id="not before it stalls"),
        pytest.param("+-----", 0.85, Stage.DRAFTING, id="room is left"),
        pytest.param("+-----", None, Stage.DRAFTING, id="no bound is known"),
        pytest.param("+--------", 0.95, Stage.ANOTHER_LANE, id="a claim ends all the same"),
    ],
)
def test_near_the_bound_nobody_is_forced(history, reached, stage):
    assert standing(row(history), PLAIN, reached).stage is stage


def test_the_bound_fraction_is_a_mean_over_the_workloads_that_have_one():
    bounds = {u: Bound(bound_ms=1.0, resource="memory", limit_ms=1.0) for u in ("a", "b")}

    assert bound_fraction({"a": 2.0, "b": 8.0, "c": 1.0}, bounds) == pytest.approx(0.25)
    assert bound_fraction({"c": 1.0}, bounds) is None


@pytest.mark.parametrize(
    ("history", "best"),
    [
        pytest.param([], None, id="nothing benchmarked"),
        pytest.param([benchmark(speedup=0.8), benchmark(speedup=0.7)], 0.8, id="slower ones count"),
        pytest.param(
            [benchmark(speedup=1.2), benchmark(Verdict.SUSPECT, speedup=99.0)],
            1.2,
            id="a suspect time sets no mark",
        ),
        pytest.param([benchmark(Verdict.REJECTED, speedup=3.0)], None, id="nor does a wrong one"),
        pytest.param([benchmark(Verdict.ACCEPTED, timed=False)], None, id="nor an untimed one"),
    ],
)
def test_own_best_is_the_best_believed_speedup(history, best):
    assert own_best(history) == best
