"""Intervals and evaluations from recorded numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.benchmark import (
    STUDENT_975,
    LogInterval,
    derived,
    evaluations,
    log_interval,
    noise_values,
    pair_values,
    usable,
    workload_intervals,
)
from guard.domain.decision import Policy, Terms
from guard.domain.trace import Failed, Judgement, Passed, Timed, WorkloadTiming
from tests.guard.duels import duel, failed, pair, passed, timing, verification, wrong

FLOOR = Policy().sigma_floor
gains = st.floats(min_value=-2, max_value=2)
pairs_of_turns = st.lists(
    st.lists(st.lists(gains, min_size=2, max_size=5).map(tuple), min_size=2, max_size=2),
    min_size=1,
    max_size=8,
)


def student_cdf(t: float, freedom: int) -> float:
    """Student's distribution function by Simpson's rule, from its density alone."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    scale /= math.sqrt(freedom * math.pi)
    steps = 4000
    width = t / steps
    total = 0.0
    for i in range(steps + 1):
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * scale * (1 + (i * width) ** 2 / freedom) ** (-(freedom + 1) / 2)
    return 0.5 + total * width / 3


def test_every_entry_of_the_table_is_the_quantile_of_its_density():
    for freedom, quantile in enumerate(STUDENT_975, start=1):
        assert student_cdf(quantile, freedom) == pytest.approx(0.975, abs=4e-5), freedom


def test_interval_of_three_pairs_follows_the_textbook():
    interval = log_interval([[(0.01,)], [(0.02,)], [(0.03,)]], sigma_floor=1e-9)
    reach = 4.303 * 0.01 / math.sqrt(3)
    assert interval == pytest.approx((0.02, 0.02 - reach, 0.02 + reach))


def test_a_pair_is_the_mean_over_workloads_of_the_median_over_turns():
    one = [(0.0, 0.1, 5.0), (0.3, 0.3, 0.3)]
    assert log_interval([one, one], FLOOR).estimate == pytest.approx(0.2)


def test_pairs_that_agree_by_luck_still_have_the_floor_as_spread():
    interval = log_interval([[(0.05,)]] * 3, sigma_floor=0.002)
    assert interval.high - interval.low == pytest.approx(2 * 4.303 * 0.002 / math.sqrt(3))


def test_one_pair_is_as_wide_as_its_turns_are_spread():
    calm = log_interval([[(0.1, 0.1, 0.1, 0.1)]], FLOOR)
    noisy = log_interval([[(0.0, 0.2, 0.0, 0.2)]], FLOOR)
    assert calm.high - calm.low == pytest.approx(2 * 3.182 * FLOOR)
    assert noisy.high - noisy.low > 10 * (calm.high - calm.low)


@given(pairs_of_turns)
def test_swapping_the_sides_mirrors_the_interval(pairs):
    mirrored = [[tuple(-x for x in turns) for turns in pair] for pair in pairs]
    estimate, low, high = log_interval(pairs, FLOOR)
    assert log_interval(mirrored, FLOOR) == pytest.approx((-estimate, -high, -low), abs=1e-9)


@given(pairs_of_turns, gains)
def test_a_constant_factor_shifts_the_interval(pairs, shift):
    moved = [[tuple(x + shift for x in turns) for turns in pair] for pair in pairs]
    expected = tuple(x + shift for x in log_interval(pairs, FLOOR))
    assert log_interval(moved, FLOOR) == pytest.approx(expected, abs=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_factors_are_finite_and_above_zero_whatever_was_measured(estimate, reach):
    factors = LogInterval(estimate, estimate - reach, estimate + reach).factors()
    assert 0 < factors.low <= factors.estimate <= factors.high < math.inf


@pytest.mark.parametrize(
    ("champion_ms", "candidate_ms", "expected"),
    [
        pytest.param((1.0, 1.0), (1.0, 1.0), True, id="all positive"),
        pytest.param((1.0, -0.1, 1.0), (1.0, 1.0, 1.0), True, id="one disturbed turn"),
        pytest.param((1.0, 1.0), (-2.0, 1.0), False, id="a median below zero"),
        pytest.param((1.0, 1.0), (0.0, 0.0), False, id="a median of zero"),
        pytest.param((1.0, math.inf), (1.0, 1.0), False, id="not finite"),
        pytest.param((1.0, math.nan), (1.0, 1.0), False, id="not a number"),
        pytest.param((1.0,), (1.0, 1.0), False, id="sides of different length"),
        pytest.param((), (), False, id="no turns"),
    ],
)
def test_only_figures_with_positive_medians_are_usable(champion_ms, candidate_ms, expected):
    figures = WorkloadTiming(
        workload="w", champion_ms=champion_ms, candidate_ms=candidate_ms, calls=1, mode="graph"
    )
    assert usable(figures) is expected


def test_a_timed_workload_carries_its_performance_and_keeps_its_log():
    fought = duel({"w": math.log(2)}, {"w": math.log(2)}, {"w": math.log(2)})
    answer = evaluations(verification(w=passed("Compared 12 calls.")), fought, Policy())["w"]
    assert isinstance(answer, Timed)
    assert answer.performance.latency_ms == pytest.approx(0.5)
    assert answer.performance.reference_latency_ms == pytest.approx(1.0)
    assert answer.performance.speedup_factor == pytest.approx(2.0)
    assert answer.log.startswith("0.5 ms a call against the baseline's 1 ms: 2.000 times as fast")
    assert answer.log.endswith("\nCompared 12 calls.")


def test_a_workload_that_was_not_timed_stays_untimed():
    answers = evaluations(verification("w", "other"), duel({"w": 0.1}), Policy())
    assert isinstance(answers["w"], Timed)
    assert isinstance(answers["other"], Passed)


def test_a_hidden_shape_has_no_evaluation_of_a_benchmark():
    answers = evaluations(verification("w", **{"hidden-1": passed()}), duel({"w": 0.1}), Policy())
    assert list(answers) == ["w"]


def test_a_fooled_clock_gives_no_performance():
    fought = duel().model_copy(update={"pairs": (pair(0, timing("w", [0.1], champion_ms=-1.0)),)})
    assert isinstance(evaluations(verification("w"), fought, Policy())["w"], Passed)


def test_a_failure_while_being_timed_replaces_the_answer():
    lost = Judgement(workload="w", evaluation=failed("TIMEOUT"))
    answer = evaluations(verification("w"), duel({"w": 0.1}, failures=[lost]), Policy())["w"]
    assert isinstance(answer, Failed)
    assert answer.status == "TIMEOUT"


def test_a_wrong_workload_is_never_given_a_time():
    answers = evaluations(verification(w=wrong()), duel({"w": 0.1}), Policy())
    assert answers["w"].status == "INCORRECT_NUMERICAL"


def test_a_derived_speedup_is_the_champions_times_the_ratio_to_it():
    champion = LogInterval(0.5, 0.47, 0.53).factors()
    ratio = LogInterval(-0.01, -0.05, 0.03).factors()
    found = derived(champion, ratio)
    reach = math.hypot(0.03, 0.04)
    expected = LogInterval(0.49, 0.49 - reach, 0.49 + reach).factors()
    assert found.model_dump() == pytest.approx(expected.model_dump())


def test_evaluations_through_a_champion_are_derived_per_workload_and_say_so():
    fought = duel({"a": math.log(2), "b": 0.0})
    answers = evaluations(verification("a", "b"), fought, Policy(), {"a": 3.0, "b": 1.5})
    speedups = {w: e.performance.speedup_factor for w, e in answers.items()}
    assert speedups == pytest.approx({"a": 6.0, "b": 1.5})
    assert answers["a"].performance.latency_ms == pytest.approx(0.5)
    assert answers["a"].performance.reference_latency_ms == pytest.approx(3.0)
    assert "Derived: measured against the champion" in answers["a"].log


def test_one_pair_is_one_value_and_noise_is_seen_where_gains_do_not_count():
    short = Policy().host_audit_slack_ms
    timings = [timing("a", [x] * 4, champion_ms=short, mode="host") for x in (0.1, -0.1)]
    fought = duel().model_copy(update={"pairs": tuple(pair(n, t) for n, t in enumerate(timings))})
    assert pair_values(fought, Policy()) == pytest.approx([0.0, -0.1])
    assert noise_values(fought, Policy()) == pytest.approx([0.1, -0.1])


def test_each_workload_has_its_own_interval_over_the_pairs():
    found = workload_intervals(duel({"a": 0.1, "b": 0.2}, {"a": 0.3, "b": 0.2}), Policy())
    assert found["a"].estimate == pytest.approx(0.2)
    assert found["b"].high - found["b"].low < found["a"].high - found["a"].low


def known(sigma, aa_pairs):
    return Terms(number=1, alpha=1e-4, sigma=sigma, aa_pairs=aa_pairs)


def test_two_pairs_are_pooled_with_what_a_a_pairs_have_shown():
    pairs = [[(0.50,)], [(0.54,)]]
    alone, pooled = (log_interval(pairs, FLOOR, terms) for terms in (None, known(0.02, 6)))
    # (2 x 0.02^2 + 6 x 0.02^2) / 7 degrees of freedom, Student's 2.365 for 7.
    reach = 2.365 * math.sqrt(8 * 0.02**2 / 7) / math.sqrt(2)
    assert pooled == pytest.approx((0.52, 0.52 - reach, 0.52 + reach))
    assert alone.high - alone.estimate > 5 * reach


def test_one_pair_rests_on_a_a_pairs_alone_and_without_any_on_its_turns():
    one = [[(0.1, 0.1, 0.1)]]
    reach = 2.447 * 0.03
    assert log_interval(one, FLOOR, known(0.03, 6)) == pytest.approx(
        (0.1, 0.1 - reach, 0.1 + reach)
    )
    assert log_interval(one, FLOOR, known(0.03, 0)) == log_interval(one, FLOOR)
