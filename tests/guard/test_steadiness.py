"""`guard.steadiness`: which turns count, and what the gate makes of those that do not."""

import math

import pytest

from guard.benchmark import noise_values
from guard.domain.conditions import Conditions
from guard.domain.decision import Policy, Verdict
from guard.domain.trace import WorkloadTiming
from guard.gate import clears, decide, needs_more, speedup
from guard.steadiness import are_apart, counting, steady, throttled
from tests.guard.duels import QUIET, duel, pair, timing, verification

POLICY = Policy()
CLOCKS = [
    # both sides' clocks in MHz, whether they are apart
    pytest.param((1980, 1980), False, id="the same"),
    pytest.param((1980, 1965), False, id="one step of the clock"),
    pytest.param((1980, 1950), True, id="two steps"),
    pytest.param((1400, 1980), True, id="the first side was slowed down"),
    pytest.param((1980, None), False, id="one of them unknown"),
    pytest.param((None, None), False, id="a device that tells nothing"),
    pytest.param((1980,), False, id="a side that is timed alone"),
]


@pytest.mark.parametrize(("clocks_mhz", "expected"), CLOCKS)
def test_clocks_are_apart_beyond_one_percent(clocks_mhz, expected):
    seen = [Conditions(sm_clock_mhz=clock_mhz) for clock_mhz in clocks_mhz]
    assert are_apart(seen, POLICY) is expected
    assert are_apart(seen[::-1], POLICY) is expected


def at(clocks_mhz, gains, workload="a"):
    """A timing with these gains, whose candidate's turns had these clocks; the champion's 1980."""
    return timing(workload, gains).model_copy(
        update={
            "champion_conditions": (Conditions(sm_clock_mhz=1980),) * len(gains),
            "candidate_conditions": tuple(Conditions(sm_clock_mhz=c) for c in clocks_mhz),
        }
    )


def fought(*timings: WorkloadTiming):
    return duel().model_copy(update={"pairs": tuple(pair(n, t) for n, t in enumerate(timings))})


def lengths(found):
    return [len(timing.champion_ms) for pair in found.pairs for timing in pair.workloads]


def test_turns_at_other_clocks_do_not_count_and_stay_in_the_record():
    mixed = at([1980, 1500, 1965, 1500], [0.1, -0.9, 0.1, -0.9])
    recorded = fought(mixed, mixed, mixed)
    assert [len(t.champion_ms) for p in steady(recorded, POLICY).pairs for t in p.workloads] == [
        2
    ] * 3
    assert [len(t.champion_ms) for p in recorded.pairs for t in p.workloads] == [4] * 3
    assert speedup(recorded).estimate == pytest.approx(math.exp(0.1))
    assert noise_values(recorded, POLICY) == pytest.approx([0.1] * 3)
    decision = decide(verification("a"), recorded, POLICY, QUIET)
    assert decision.verdict is Verdict.PROMOTED
    assert "6 of 12 turns do not count" in decision.reason


def test_turns_at_one_clock_leave_a_timing_as_it_is():
    kept = at([1980] * 4, [0.1] * 4)
    assert counting(kept, POLICY) is kept
    decision = decide(verification("a"), fought(kept, kept, kept), POLICY, QUIET)
    assert "do not count" not in decision.reason


def test_a_workload_without_turns_that_count_decides_nothing_and_blames_nobody():
    lost = at([1500] * 4, [0.5] * 4)
    recorded = fought(lost)
    assert counting(lost, POLICY).champion_audit_ms == ()
    assert not needs_more(recorded, POLICY, QUIET)
    decision = decide(verification("a"), recorded, POLICY, QUIET)
    assert decision.verdict is Verdict.ACCEPTED
    assert decision.over_champion is None
    assert decision.reason.startswith("Inconclusive")
    assert "4 of 4 turns do not count" in decision.reason


def test_a_gain_is_no_promotion_while_a_workload_is_undecided():
    gaining = [timing("a", [0.1] * 4), timing("b", [0.1] * 4)]
    lost = [timing("a", [0.1] * 4), at([1500] * 4, [0.1] * 4, "b")]
    whole = duel().model_copy(update={"pairs": tuple(pair(n, *gaining) for n in range(3))})
    assert decide(verification("a", "b"), whole, POLICY, QUIET).verdict is Verdict.PROMOTED
    assert clears(whole, POLICY, QUIET)
    holed = whole.model_copy(update={"pairs": (*whole.pairs[:2], pair(2, *lost))})
    decision = decide(verification("a", "b"), holed, POLICY, QUIET)
    assert decision.verdict is Verdict.ACCEPTED
    assert "workload 'b' has a process pair in which none of its turns counts" in decision.reason
    assert not clears(holed, POLICY, QUIET)


def test_what_slowed_the_clock_is_told_only_when_something_did():
    slowed = Conditions(sm_clock_mhz=1700, throttle_reasons=("power cap",))
    calm = at([1980] * 4, [0.0] * 4)
    hot = calm.model_copy(update={"candidate_conditions": (slowed,) * 4})
    assert throttled([fought(calm)]) == ""
    both = [fought(calm), fought(hot)]
    assert throttled(both) == "the device slowed its clock: power cap in 4 of 16 blocks"


STRANGERS = [
    # what each pair saw, what is told
    pytest.param([None, None, None], "", id="a device that cannot tell"),
    pytest.param([0, 0, 0], "", id="nobody"),
    pytest.param([0, 2, None], "Other processes used the device as well: 2.", id="in one pair"),
]


@pytest.mark.parametrize(("seen", "told"), STRANGERS)
def test_strangers_mark_the_reason_and_change_no_verdict(seen, told):
    kept = at([1980] * 4, [0.1] * 4)
    pairs = [
        pair(n, kept).model_copy(update={"strangers": n_seen}) for n, n_seen in enumerate(seen)
    ]
    recorded = duel().model_copy(update={"pairs": tuple(pairs)})
    decision = decide(verification("a"), recorded, POLICY, QUIET)
    assert decision.verdict is Verdict.PROMOTED
    assert decision.reason.endswith(told or "that is a gain.")
