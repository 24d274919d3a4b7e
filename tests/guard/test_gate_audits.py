"""The gate on audit blocks: a gain must be there when the calls are forced into order."""

import math

import pytest

from guard.benchmark import evaluations
from guard.domain.decision import Policy, Verdict
from guard.domain.trace import Duel
from guard.gate import decide, speedup
from tests.guard.duels import QUIET, pair, timing, verification

PROMOTED, ACCEPTED, REVERTED = Verdict.PROMOTED, Verdict.ACCEPTED, Verdict.REVERTED
POLICY = Policy()


def with_timings(*timings) -> Duel:
    """One timing of workload a per process pair."""
    pairs = tuple(pair(number, t) for number, t in enumerate(timings))
    return Duel(champion="champion", candidate="candidate", pairs=pairs)


AUDITS = [
    # gain in plain blocks, in audit blocks, mode, verdict, part of the reason
    pytest.param(0.5, 0.5, "graph", PROMOTED, "that is a gain", id="the gain is there"),
    pytest.param(0.5, 0.45, "graph", PROMOTED, "that is a gain", id="a little is missing"),
    pytest.param(0.5, 0.9, "graph", PROMOTED, "that is a gain", id="more than claimed"),
    pytest.param(0.5, 0.0, "graph", Verdict.SUSPECT, "merged or overlapped", id="all is missing"),
    pytest.param(0.5, 0.0, "host", Verdict.SUSPECT, "workload 'a'", id="from the host too"),
    pytest.param(0.5, 0.3, "graph", Verdict.SUSPECT, "into order", id="much is missing"),
    pytest.param(-0.05, -0.9, "graph", REVERTED, "slower", id="no gain was claimed"),
    pytest.param(0.005, -0.9, "graph", ACCEPTED, "near", id="next to no gain was claimed"),
]


@pytest.mark.parametrize(("plain", "audit", "mode", "verdict", "reason"), AUDITS)
def test_a_gain_must_be_there_when_calls_are_forced_into_order(plain, audit, mode, verdict, reason):
    one = timing("a", [plain] * 4, mode=mode, audit=[audit] * 3)
    decision = decide(verification("a"), with_timings(one, one, one), POLICY, QUIET)
    assert decision.verdict is verdict, decision.reason
    assert reason in decision.reason


def test_merging_in_unaudited_pairs_alone_is_seen_in_the_audited_one():
    merged = timing("a", [0.5] * 4, audit=[])
    honest = timing("a", [0.0] * 4, audit=[0.0] * 3)
    decision = decide(verification("a"), with_timings(merged, honest, merged), POLICY, QUIET)
    assert decision.verdict is not PROMOTED
    decision = decide(
        verification("a"), with_timings(merged, honest, merged, merged), POLICY, QUIET
    )
    assert decision.verdict is Verdict.SUSPECT, decision.reason


def test_audits_that_disagree_with_themselves_convict_nobody():
    noisy = timing("a", [0.3] * 4, audit=[-0.3, 0.1, 0.4])
    decision = decide(verification("a"), with_timings(noisy, noisy, noisy), POLICY, QUIET)
    assert decision.verdict is PROMOTED, decision.reason


def test_nothing_is_promoted_on_a_workload_that_was_not_audited():
    timings = [timing(w, [0.2] * 4, audit=[0.2] * 3 if w == "a" else []) for w in "ab"]
    pairs = tuple(pair(number, *timings) for number in range(3))
    found = Duel(champion="champion", candidate="candidate", pairs=pairs)
    decision = decide(verification("a", "b"), found, POLICY, QUIET)
    assert decision.verdict is ACCEPTED
    assert "'b' was not audited" in decision.reason


def test_a_gain_counts_only_where_audits_can_see_that_it_is_missing():
    short, long = (
        timing(w, [1.0] * 4, champion_ms=ms, mode="host", audit=[1.0] * 3)
        for w, ms in (("a", POLICY.host_audit_slack_ms), ("b", 100 * POLICY.host_audit_slack_ms))
    )
    alone = decide(verification("a"), with_timings(short, short, short), POLICY, QUIET)
    assert alone.verdict is ACCEPTED
    assert alone.over_champion.estimate == pytest.approx(1.0)
    assert "gains on a left out" in alone.reason
    pairs = tuple(pair(number, short, long) for number in range(3))
    both = Duel(champion="champion", candidate="candidate", pairs=pairs)
    together = decide(verification("a", "b"), both, POLICY, QUIET)
    assert together.verdict is PROMOTED
    assert together.over_champion.estimate == pytest.approx(math.exp(0.5))


def test_a_short_call_gains_nothing_where_nothing_was_audited_either():
    # As against the baseline: one pair, in which few workloads are audited.
    one = with_timings(timing("a", [1.0] * 4, champion_ms=0.003, mode="host", audit=[]))
    assert speedup(one).estimate == pytest.approx(1.0)
    (evaluation,) = evaluations(verification("a"), one, POLICY).values()
    assert evaluation.performance.speedup_factor == pytest.approx(1.0)
    assert "too short for audits" in evaluation.log


def test_a_loss_counts_where_audits_see_nothing():
    slower = timing("a", [-0.5] * 4, champion_ms=0.001, mode="host")
    decision = decide(verification("a"), with_timings(slower, slower, slower), POLICY, QUIET)
    assert decision.verdict is REVERTED
