"""The sequential test: tables, properties, and how often it is wrong."""

import math
import random
from collections.abc import Callable
from math import sqrt
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.domain.decision import Policy
from guard.promotion import (
    Finding,
    alpha,
    finding,
    goes_on,
    is_large,
    is_quiet_enough,
    is_screened_out,
    least_chi_square,
    promotes,
    sigma,
    terms,
    weight,
)
from tests.guard.duels import QUIET, timing

POLICY = Policy()
GAIN = math.log1p(POLICY.test_gain)
ratios = st.floats(-1, 1)
several = st.lists(ratios, min_size=1, max_size=8)

SIGMAS = [
    # the A/A pairs, expected sigma
    # The lower 5 % points of chi-square for 5, 6 and 50 degrees of freedom, from tables.
    pytest.param([0.01, -0.01, 0.01, -0.02, 0.0], sqrt(7e-4 / 1.1455), id="few pairs say little"),
    pytest.param([0.01] * 6, sqrt(6e-4 / 1.6354), id="a constant bias is noise"),
    pytest.param([0.001, -0.001, 0.0], POLICY.sigma_floor, id="never below the floor"),
    pytest.param(
        [0.01, -0.01, 0.01, -0.01, 5.0],
        sqrt((4e-4 + (5 * 0.014826) ** 2) / 1.1455),
        id="an outlier counts as five spreads",
    ),
    pytest.param([9.0] * 60 + [0.01] * 50, sqrt(50e-4 / 34.764), id="the newest fifty alone"),
    pytest.param([], POLICY.unknown_sigma, id="nothing is known"),
]


@pytest.mark.parametrize(("values", "expected"), SIGMAS)
def test_sigma_is_the_most_that_pairs_of_the_same_kernel_may_scatter(values, expected):
    assert sigma(values, POLICY) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("freedom", "tabled"), [(6, 1.6354), (12, 5.2260), (50, 34.764)])
def test_the_lower_tail_of_chi_square_is_that_of_tables(freedom, tabled):
    assert least_chi_square(freedom) == pytest.approx(tabled, rel=0.01)


def test_a_campaign_begins_once_more_pairs_could_not_lower_sigma():
    assert not is_quiet_enough([0.0] * (POLICY.aa_pairs - 1), POLICY)
    assert is_quiet_enough([0.0] * POLICY.aa_pairs, POLICY)
    assert not is_quiet_enough([0.004] * POLICY.aa_pairs, POLICY)


def test_alpha_is_shared_evenly_and_what_comes_later_stays_bounded():
    planned = sum(alpha(number, POLICY) for number in range(1, POLICY.planned_duels + 1))
    later = sum(alpha(number, POLICY) for number in range(POLICY.planned_duels + 1, 200_000))
    assert planned == pytest.approx(POLICY.alpha_budget)
    assert later < POLICY.alpha_budget
    assert alpha(600, POLICY) == pytest.approx(alpha(1, POLICY) / 4)


def test_terms_tell_what_they_rest_on():
    found = terms(7, [0.01] * 60, POLICY, 99)
    assert (found.number, found.aa_pairs, found.aa_through) == (7, POLICY.sigma_window, 99)


FINDINGS = [
    # values, sigma, expected
    pytest.param([0.02] * 3, 0.004, Finding.GAIN, id="the gain looked for"),
    pytest.param([0.5] * 2, 0.004, Finding.OPEN, id="however large, two pairs are too few"),
    pytest.param([0.0], 0.004, Finding.NO_GAIN, id="as fast: one pair is enough"),
    pytest.param([0.0], 0.01, Finding.OPEN, id="as fast: more pairs where there is noise"),
    pytest.param([GAIN / 2] * 8, 0.004, Finding.OPEN, id="half of it is never told"),
    pytest.param([0.02] * 3, 0.009, Finding.OPEN, id="three pairs are too few for this noise"),
    pytest.param([0.02] * 8, 0.009, Finding.GAIN, id="eight are enough"),
    pytest.param([0.05] * 4, 0.011, Finding.GAIN, id="a larger one is found in more noise"),
    pytest.param([0.48] * 3, 0.106, Finding.GAIN, id="a very large one in very much"),
    pytest.param([0.02] * 8, 0.106, Finding.OPEN, id="where a small one is never told"),
]


@pytest.mark.parametrize(("values", "spread", "expected"), FINDINGS)
def test_what_the_pairs_say(values, spread, expected):
    under = QUIET.model_copy(update={"sigma": spread})
    assert finding(values, under, POLICY) is expected


def test_the_first_step_follows_the_textbook():
    under = QUIET.model_copy(update={"sigma": 0.004})
    x, variance = 0.011, 0.004**2
    assert weight([x], under, POLICY) == pytest.approx(
        GAIN * x / variance - GAIN**2 / (2 * variance)
    )


def test_several_gains_weigh_as_the_mean_of_their_likelihood_ratios():
    x, spread = 0.05, 0.02
    under = QUIET.model_copy(update={"sigma": spread})
    gains = [GAIN, 2 * spread, 4 * spread]
    each = [math.exp(gain * (x - gain / 2) / spread**2) for gain in gains]
    assert weight([x], under, POLICY) == pytest.approx(math.log(fmean(each)))


@given(several, st.floats(0.004, 0.05))
def test_no_pair_adds_more_than_the_limit(values, spread):
    under = QUIET.model_copy(update={"sigma": spread})
    added = [weight(values[: n + 1], under, POLICY) for n in range(len(values))]
    steps = [b - a for a, b in zip([0.0, *added], added, strict=False)]
    assert all(abs(step) <= POLICY.step_limit + 1e-9 for step in steps)


@given(several, ratios, st.floats(0, 0.5), st.integers(0, 7))
def test_a_faster_pair_never_speaks_against_a_gain(values, changed, more, at):
    slower = [*values[:at], changed, *values[at + 1 :]]
    faster = [*values[:at], changed + more, *values[at + 1 :]]
    assert weight(faster, QUIET, POLICY) >= weight(slower, QUIET, POLICY)


@given(several)
def test_of_two_rivals_at_most_one_is_promoted(values):
    mirrored = [-x for x in values]
    assert not (promotes(values, QUIET, POLICY) and promotes(mirrored, QUIET, POLICY))


@given(several, st.integers(1, 1000))
def test_a_later_duel_needs_at_least_as_much_evidence(values, number):
    first, later = (terms(n, [0.0] * 6, POLICY) for n in (1, number))
    assert not promotes(values, later, POLICY) or promotes(values, first, POLICY)


SCREENED = [
    pytest.param({"a": -0.2, "b": -0.2}, False, id="too few"),
    pytest.param({"a": -0.2, "b": -0.2, "c": -0.2}, True, id="all far slower"),
    pytest.param({"a": -0.9, "b": -0.9, "c": -0.09}, False, id="one of them hardly"),
    pytest.param({"a": -0.9, "b": -0.9, "c": -0.9, "d": 0.4}, False, id="one of them faster"),
]


@pytest.mark.parametrize(("gains", "expected"), SCREENED)
def test_a_candidate_is_given_up_when_all_that_was_drawn_is_far_slower(gains, expected):
    timed = [timing(w, [gain] * POLICY.turns) for w, gain in gains.items()]
    assert is_screened_out(timed, POLICY) is expected


def test_a_clock_that_was_fooled_screens_nobody_out():
    broken = timing("c", [-0.2]).model_copy(update={"champion_ms": (-1.0,)})
    timed = [timing("a", [-0.2]), timing("b", [-0.2]), broken]
    assert not is_screened_out(timed, POLICY)


def test_a_gain_that_scatters_around_nothing_is_not_large():
    assert is_large([0.02] * 3, POLICY)
    assert not is_large([0.3, -0.2, 0.02], POLICY)
    assert not is_large([0.009] * 8, POLICY)


def simulated(draw: Callable[[], float], spread: float) -> bool:
    """Whether one candidate is promoted, pair by pair as in earnest."""
    under = QUIET.model_copy(update={"sigma": spread})
    values: list[float] = []
    while goes_on(values, under, POLICY):
        values.append(draw())
    return promotes(values, under, POLICY)


def student(rng: random.Random, freedom: int) -> float:
    return rng.gauss(0, 1) / math.sqrt(rng.gammavariate(freedom / 2, 2) / freedom)


def outliers(rng: random.Random, spread: float) -> float:
    wild = rng.random() < 0.02
    return rng.gauss(0, spread) + (rng.choice([-0.03, 0.03]) if wild else 0.0)


NULLS = [
    # one pair's log-ratio of two kernels that are equally fast
    pytest.param(lambda rng: rng.gauss(0, 0.005), id="normal noise"),
    pytest.param(lambda rng: 0.004 * student(rng, 4), id="heavy tails"),
    pytest.param(lambda rng: outliers(rng, 0.004), id="one process in fifty is off by 3 %"),
]


@pytest.mark.parametrize("draw", NULLS)
def test_of_30000_candidates_that_change_nothing_none_is_promoted(draw):
    rng = random.Random(20261202)
    spread = sigma([draw(rng) for _ in range(POLICY.sigma_window)], POLICY)
    assert sum(simulated(lambda: draw(rng), spread) for _ in range(30_000)) == 0


def begun(rng: random.Random, spread: float) -> float:
    """Sigma as a new campaign on such a machine takes it."""
    noise: list[float] = []
    while len(noise) < POLICY.most_aa_pairs and not is_quiet_enough(noise, POLICY):
        noise.append(rng.gauss(0, spread))
    return sigma(noise, POLICY)


@pytest.mark.parametrize("spread", [0.005, 0.01, 0.02, 0.1])
def test_new_campaigns_on_noisy_machines_promote_no_noise(spread):
    rng = random.Random(20261203)
    promoted = sum(
        simulated(lambda: rng.gauss(0, spread), begun(rng, spread)) for _ in range(5_000)
    )
    assert promoted == 0


def test_a_new_campaign_sees_a_true_gain():
    rng = random.Random(20261203)
    promoted = sum(simulated(lambda: rng.gauss(0.02, 0.004), begun(rng, 0.004)) for _ in range(500))
    assert promoted >= 475


POWER = [
    # true gain, noise of one pair, least share of promotions
    pytest.param(0.02, 0.005, 0.95, id="2 % in usual noise"),
    pytest.param(0.05, 0.010, 0.95, id="5 % on a noisy machine"),
    pytest.param(0.02, 0.002, 0.99, id="2 % on a quiet machine"),
    pytest.param(0.50, 0.100, 0.95, id="50 % on a very noisy machine"),
]


@pytest.mark.parametrize(("gain", "spread", "least"), POWER)
def test_a_true_gain_is_promoted(gain, spread, least):
    rng = random.Random(20261202)
    promoted = sum(
        simulated(lambda: math.log1p(gain) + rng.gauss(0, spread), max(spread, 0.004))
        for _ in range(2_000)
    )
    assert promoted >= least * 2_000
