"""The gate's decisions: tables of duels, and properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.decision import Decision, Interval, Policy, Verdict
from guard.domain.probe import Probe
from guard.domain.trace import Duel, Judgement
from guard.gate import NOTHING_KNOWN, clears, decide, is_progress, needs_more, speedup
from tests.guard.duels import QUIET, duel, failed, pair, passed, timing, verification, wrong

PROMOTED, ACCEPTED, REVERTED = Verdict.PROMOTED, Verdict.ACCEPTED, Verdict.REVERTED
POLICY = Policy()
TWO = verification("a", "b")


def fought(*gains: float, **other: float) -> Duel:
    """Pairs with this log-ratio on workload a, and on b what `other` says (else the same)."""
    return duel(*({"a": gain, "b": other.get("b", gain)} for gain in gains))


def with_timings(*timings) -> Duel:
    """One timing of workload a per process pair."""
    pairs = tuple(pair(number, t) for number, t in enumerate(timings))
    return Duel(champion="champion", candidate="candidate", pairs=pairs)


VERDICTS = [
    # duel, expected verdict, part of the reason
    pytest.param(fought(0.05, 0.05, 0.05), PROMOTED, "that is a gain", id="clear gain"),
    pytest.param(fought(0.05, 0.05), ACCEPTED, "inconclusive", id="too few pairs"),
    pytest.param(fought(*[0.0105] * 8), ACCEPTED, "inconclusive", id="too small to be told"),
    pytest.param(fought(0.0, 0.1, 0.2), ACCEPTED, "inconclusive", id="pairs disagree"),
    pytest.param(
        fought(-0.05, *[0.05] * 5), ACCEPTED, "not clearly above zero", id="a gain, but unsteady"
    ),
    pytest.param(
        fought(0.2, 0.2, 0.2, b=-0.03), ACCEPTED, "'b' takes 3.0% longer", id="one workload loses"
    ),
    pytest.param(
        duel(*({"a": 0.5, "b": b} for b in (-0.2, 0.1, -0.05))), PROMOTED, "that is a gain",
        id="one workload loses, but not clearly",
    ),
    pytest.param(
        fought(0.2, 0.2, 0.2, b=-0.015), PROMOTED, "that is a gain", id="a small loss is allowed"
    ),
    pytest.param(fought(-0.005), ACCEPTED, "near the champion", id="as fast, one pair"),
    pytest.param(fought(-0.029, -0.029), ACCEPTED, "near the champion", id="near-best"),
    pytest.param(fought(-0.031, -0.031), REVERTED, "slower", id="not near-best"),
    pytest.param(fought(-0.05, -0.05, -0.05), REVERTED, "slower", id="slower"),
    pytest.param(fought(-0.5), REVERTED, "slower", id="hopeless after one pair"),
    pytest.param(fought(5.0, 5.0, 5.0), Verdict.SUSPECT, "too good to be true", id="148 times"),
    pytest.param(
        fought(0.0, 0.0, 0.0, b=5.0),
        Verdict.SUSPECT,
        "workload 'b'",
        id="148 times on one workload",
    ),
    pytest.param(duel(), ACCEPTED, "nothing that counts was timed", id="no pairs"),
]  # fmt: skip


@pytest.mark.parametrize(("figures", "verdict", "reason"), VERDICTS)
def test_each_kind_of_duel_has_its_verdict(figures, verdict, reason):
    decision = decide(TWO, figures, POLICY, QUIET)
    assert decision.verdict is verdict
    assert reason in decision.reason


GRADES = [
    # the weakest sandbox grade over the workloads, expected verdict, part of the reason
    pytest.param(0, ACCEPTED, "grade 0, and a promotion needs 2", id="in the same process"),
    pytest.param(1, ACCEPTED, "grade 1, and a promotion needs 2", id="limits alone"),
    pytest.param(2, PROMOTED, "that is a gain", id="own uid or Landlock"),
    pytest.param(3, PROMOTED, "that is a gain", id="namespaces too"),
]


@pytest.mark.parametrize(("grade", "verdict", "reason"), GRADES)
def test_nothing_is_promoted_below_the_sandbox_grade(grade, verdict, reason):
    verified = verification("a", b=passed(grade=grade))
    decision = decide(verified, fought(0.05, 0.05, 0.05), POLICY, QUIET)
    assert decision.verdict is verdict
    assert reason in decision.reason


def test_nothing_is_promoted_where_a_wrong_answer_passes_for_right():
    loose = [Probe(workload="a", impostor="zeros", refused="")]
    decision = decide(verification("a", "b"), fought(0.05, 0.05, 0.05), POLICY, QUIET, loose)
    assert decision.verdict is ACCEPTED
    assert "not admitted, since zeros would pass for right on workload 'a'" in decision.reason


REFUSED = [
    # verification, duel, the whole reason
    pytest.param(
        verification("a", b=wrong()), duel(),
        "Failed verification: INCORRECT_NUMERICAL on workload 'b'.", id="wrong",
    ),
    pytest.param(
        verification(note="compiled, not verified: no GPU here"), duel(),
        "Not verified: compiled, not verified: no GPU here.", id="not verified",
    ),
    pytest.param(verification(), duel(), "Not verified: no workload was judged.", id="nothing"),
    pytest.param(
        TWO,
        duel({"a": 1.0, "b": 1.0}, failures=[Judgement(workload="b", evaluation=failed())]),
        "Failed while being timed: TIMEOUT on workload 'b'.", id="failed in the duel",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("verified", "figures", "reason"), REFUSED)
def test_what_fails_the_guard_is_rejected_however_fast(verified, figures, reason):
    decision = decide(verified, figures, POLICY, QUIET)
    assert decision.verdict is Verdict.REJECTED
    assert decision.reason == reason


DOUBTED = [
    pytest.param(with_timings(timing("a", [0.1], champion_ms=-1.0)), id="time not positive"),
    pytest.param(
        with_timings(
            timing("a", [0.1, 0.1]),
            timing("a", [0.1, 0.1], mode="host"),
            timing("a", [0.1, 0.1]),
        ),
        id="modes mixed to the candidate's gain",
    ),
    pytest.param(duel({"b": 0.1}), id="another workload was timed"),
    pytest.param(duel({"a": 0.1, "b": 0.1}), id="more was timed than verified"),
]


@pytest.mark.parametrize("figures", DOUBTED)
def test_figures_that_do_not_fit_together_are_suspect(figures):
    assert decide(verification("a"), figures, POLICY, QUIET).verdict is Verdict.SUSPECT


def test_hidden_shapes_are_verified_and_not_timed():
    figures = duel(*[{"a": 0.1}] * 3)
    right, failed_there = passed(), wrong()
    found = decide(verification("a", **{"hidden-1": right}), figures, POLICY, QUIET)
    assert found.verdict is Verdict.PROMOTED
    found = decide(verification("a", **{"hidden-1": failed_there}), figures, POLICY, QUIET)
    assert found.reason == "Failed verification: INCORRECT_NUMERICAL on workload 'hidden-1'."
    timed = duel(*[{"a": 0.1, "hidden-1": 0.1}] * 3)
    found = decide(verification("a", **{"hidden-1": right}), timed, POLICY, QUIET)
    assert found.verdict is Verdict.SUSPECT


def test_modes_mixed_to_the_candidates_loss_are_no_reason_for_suspicion():
    figures = with_timings(timing("a", [-0.1, -0.1]), timing("a", [-0.1, -0.1], mode="host"))
    assert decide(verification("a"), figures, POLICY, QUIET).verdict is REVERTED


def test_the_decision_carries_the_interval_it_rests_on():
    decision = decide(TWO, fought(0.05, 0.05, 0.05), POLICY, QUIET)
    assert decision.over_champion == speedup(fought(0.05, 0.05, 0.05), POLICY, QUIET)
    assert decision.reason == (
        "1.051 times as fast as the champion (95 % interval 1.046 to 1.057, process pairs: 3): "
        "weight for a gain 12.0 of 10.3 nats at sigma 0.40%: that is a gain."
    )


def test_a_first_pair_that_gave_up_early_is_slower_and_no_other_pair_may_leave_workloads_out():
    listed = verification("a", "b", "c", "d")
    lost = {"a": -0.3, "b": -0.3, "c": -0.3}
    early = decide(listed, duel(lost), POLICY, QUIET)
    assert early.verdict is Verdict.REVERTED
    assert early.reason.endswith("slower, each of the 3 of 4 workloads that were timed.")
    assert not needs_more(duel(lost), POLICY, QUIET)
    for other in (duel(lost | {"d": -0.3}, lost), duel(lost | {"c": 0.3}), duel({"a": -0.3})):
        found = decide(listed, other, POLICY, QUIET)
        assert found.verdict is Verdict.SUSPECT
        assert "did not time exactly" in found.reason


MORE = [
    pytest.param(duel(), True, id="nothing timed yet"),
    pytest.param(fought(0.0), False, id="one pair, no gain at all"),
    pytest.param(fought(0.009), True, id="one pair, a gain is still possible"),
    pytest.param(fought(-0.11), False, id="one pair, hopeless"),
    pytest.param(fought(0.5, 0.5), True, id="two pairs are never enough"),
    pytest.param(fought(0.05, 0.05, 0.05), False, id="clear gain"),
    pytest.param(fought(0.05, -0.05, -0.05), False, id="clear loss"),
    pytest.param(fought(0.005, 0.005, 0.005), False, id="less than half the gain looked for"),
    pytest.param(fought(0.0105, 0.0105, 0.0105), True, id="open"),
    pytest.param(fought(*[0.0105] * 8), False, id="open at the last pair"),
    pytest.param(fought(-0.05, *[0.05] * 5), True, id="a gain, but unsteady"),
    pytest.param(with_timings(timing("a", [0.1], champion_ms=-1.0)), False, id="clock fooled"),
    pytest.param(
        duel({"a": 0.0}, failures=[Judgement(workload="a", evaluation=failed())]),
        False,
        id="failed",
    ),
]


@pytest.mark.parametrize(("figures", "expected"), MORE)
def test_a_duel_goes_on_only_while_it_could_still_change(figures, expected):
    assert needs_more(figures, POLICY, QUIET) is expected


def test_on_a_noisy_machine_one_slow_pair_is_no_verdict():
    noisy = QUIET.model_copy(update={"sigma": 0.05})
    assert needs_more(fought(-0.08), POLICY, noisy)
    assert decide(TWO, fought(-0.08), POLICY, noisy).verdict is ACCEPTED
    assert decide(TWO, fought(-0.2), POLICY, noisy).verdict is REVERTED


CLEARS = [
    pytest.param(fought(0.05, 0.05, 0.05), True, id="clear gain"),
    pytest.param(fought(0.05, 0.05), False, id="too few pairs"),
    pytest.param(fought(0.0, 0.0, 0.0), False, id="the same"),
    pytest.param(fought(0.2, 0.2, 0.2, b=-0.03), False, id="one workload loses"),
    pytest.param(duel(), False, id="nothing timed"),
    pytest.param(
        duel(*[{"a": 0.1}] * 3, failures=[Judgement(workload="a", evaluation=failed())]),
        False,
        id="failed",
    ),
]


@pytest.mark.parametrize(("figures", "expected"), CLEARS)
def test_what_figures_alone_would_promote(figures, expected):
    assert clears(figures, POLICY, QUIET) is expected


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_swapping_champion_and_candidate_inverts_the_speedup(gains):
    ahead, behind = speedup(fought(*gains)), speedup(fought(*(-gain for gain in gains)))
    assert ahead.estimate == pytest.approx(1 / behind.estimate)
    assert (ahead.low, ahead.high) == pytest.approx((1 / behind.high, 1 / behind.low))


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_of_two_rivals_at_most_one_is_promoted(gains):
    there, back = fought(*gains), fought(*(-gain for gain in gains))
    promoted = [decide(TWO, d, POLICY, QUIET).verdict is PROMOTED for d in (there, back)]
    assert not all(promoted)


def test_a_duel_without_a_usable_turn_claims_nothing():
    assert speedup(duel()) == NOTHING_KNOWN
    assert speedup(with_timings(timing("a", [0.1], champion_ms=-1.0))) == NOTHING_KNOWN


def decision(verdict: Verdict, *, timed: bool = True) -> Decision:
    interval = Interval(estimate=1.0, low=0.9, high=1.1)
    return Decision(verdict=verdict, reason="", over_champion=interval if timed else None)


PROGRESS = [
    # verdict, speedup over the baseline, own best, expected
    pytest.param(PROMOTED, 1.0, 1.5, True, id="a new champion always"),
    pytest.param(ACCEPTED, 1.5, None, True, id="the first sets the own best"),
    pytest.param(REVERTED, 0.5, None, True, id="the first may be slow"),
    pytest.param(ACCEPTED, 1.516, 1.5, True, id="beats the own best by 1 %"),
    pytest.param(REVERTED, 1.6, 1.5, True, id="beats the own best, not the champion"),
    pytest.param(ACCEPTED, 1.514, 1.5, False, id="beats it by less"),
    pytest.param(Verdict.SUSPECT, 99.0, 1.5, False, id="suspect never"),
    pytest.param(Verdict.REJECTED, 99.0, None, False, id="rejected never"),
]


@pytest.mark.parametrize(("verdict", "estimate", "own_best", "expected"), PROGRESS)
def test_progress_is_a_champion_or_a_better_own_best(verdict, estimate, own_best, expected):
    measured = Interval(estimate=estimate, low=estimate / 2, high=estimate * 2)
    assert is_progress(decision(verdict), measured, own_best, POLICY) is expected


def test_what_was_not_timed_is_no_progress():
    assert not is_progress(decision(ACCEPTED, timed=False), NOTHING_KNOWN, None, POLICY)


@pytest.mark.parametrize("count", [1, 3])
def test_the_speedup_is_a_geometric_mean(count):
    assert speedup(fought(*[math.log(2)] * count, b=-math.log(2))).estimate == pytest.approx(1)
