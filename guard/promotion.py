"""The sequential test of a duel: do its process pairs speak for a gain, against it, or neither yet?

Pure functions over recorded numbers: no clock, no disk, no device, no logging.

    log-ratio of each pair × Terms × Policy -> weight in nats -> Finding

A likelihood-ratio test between *no gain* and *a gain*: of `test_gain`, or of some sigmas where that
is more. Each pair adds one step, which is clipped: heavy tails and single disturbed processes are
what promotes noise otherwise. How noisy a pair is (sigma) was seen on duels of the champion against
itself, on the same machine.

Start at `finding`; `goes_on` stops a duel. Not here: the other conditions of a promotion (`gate`),
what one pair says (`benchmark`).
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean, median

from guard.benchmark import counted, log_interval, usable
from guard.domain.decision import Policy, Terms
from guard.domain.trace import WorkloadTiming

# The standard deviation of normal noise is this much larger than its median absolute deviation.
NORMAL = 1.4826
# Normal noise lies below this many standard deviations nineteen times in twenty.
NORMAL_95 = 1.6449
OUTLYING = 5.0
"""Spreads (by the median) beyond which an A/A pair counts as if it lay there."""


class Finding(StrEnum):
    """What a duel's pairs say so far."""

    GAIN = "gain"
    NO_GAIN = "no gain"
    OPEN = "open"


def sigma(values: Sequence[float], policy: Policy) -> float:
    """How far a pair's log-ratio spreads at most, by the newest pairs of a champion against itself.

    An upper confidence bound: a few pairs may agree by luck, and what is taken for too quiet a
    machine promotes its noise. The deviation is taken from zero, which is the truth of such a pair,
    so a constant bias counts as noise too. A disturbed pair counts as `OUTLYING` spreads at most.
    Without any pair, `unknown_sigma`.
    """
    newest = [abs(x) for x in values[-policy.sigma_window :]]
    if not newest:
        return policy.unknown_sigma
    most = OUTLYING * max(NORMAL * median(newest), policy.sigma_floor)
    squares = sum(min(x, most) ** 2 for x in newest)
    return max(math.sqrt(squares / least_chi_square(len(newest))), policy.sigma_floor)


def least_chi_square(freedom: int) -> float:
    """The value that a chi-square variable falls below one time in twenty.

    Source: E. B. Wilson and M. M. Hilferty, The Distribution of Chi-Square, PNAS 17 (1931).
    """
    part = 2 / (9 * freedom)
    return freedom * max(0.0, 1 - part - NORMAL_95 * math.sqrt(part)) ** 3


def is_quiet_enough(values: Sequence[float], policy: Policy) -> bool:
    """Whether these A/A pairs are enough to begin with: more could not lower sigma."""
    return len(values) >= policy.aa_pairs and sigma(values, policy) <= policy.sigma_floor


def alpha(number: int, policy: Policy) -> float:
    """The chance of a false promotion that a campaign's `number`-th duel may spend.

    Each of the planned ones has the same share of the budget. Further ones get less and less, so
    that all of them together never spend more than the budget once again.
    """
    share = policy.alpha_budget / policy.planned_duels
    return share * min(1.0, policy.planned_duels / number) ** 2


def terms(number: int, values: Sequence[float], policy: Policy, aa_through: int = 0) -> Terms:
    """What the `number`-th duel of a campaign is decided by, after these pairs of A/A duels."""
    return Terms(
        number=number,
        alpha=alpha(number, policy),
        sigma=sigma(values, policy),
        aa_pairs=min(len(values), policy.sigma_window),
        aa_through=aa_through,
    )


def weight(values: Sequence[float], terms: Terms, policy: Policy) -> float:
    """How much these pairs speak for a gain, in nats; below zero they speak against one.

    The likelihood ratio is the mean of those of several gains. Each is at most one on average where
    there is no gain, so their mean is, at whatever pair the test stops. On a noisy machine the
    least gain alone would never be told from noise, however large the true one is. Source:
    H. Robbins, Statistical Methods Related to the Law of the Iterated Logarithm, Annals of
    Mathematical Statistics 41 (1970).
    """
    least = math.log1p(policy.test_gain)
    gains = [least, *(max(least, spread * terms.sigma) for spread in policy.test_spreads)]
    told = [_weight_of(gain, values, terms.sigma, policy.step_limit) for gain in gains]
    most = max(told)
    return most + math.log(fmean(math.exp(nats - most) for nats in told))


def _weight_of(gain: float, values: Sequence[float], sigma: float, limit: float) -> float:
    """The same for one gain (log units): A. Wald, Sequential Analysis (1947), clipped."""
    scale = gain / sigma**2
    return sum(max(-limit, min(limit, scale * (x - gain / 2))) for x in values)


def finding(values: Sequence[float], terms: Terms, policy: Policy) -> Finding:
    """What the pairs say: for a gain never before `min_pairs`, against one from the first on."""
    told = weight(values, terms, policy)
    if told <= math.log(policy.reject_odds):
        return Finding.NO_GAIN
    if told >= -math.log(terms.alpha) and len(values) >= policy.min_pairs:
        return Finding.GAIN
    return Finding.OPEN


def goes_on(values: Sequence[float], terms: Terms, policy: Policy) -> bool:
    """Whether another process pair could still change what the pairs so far say.

    No, when they are hopeless, when there are `max_pairs`, when no gain was found, or one that is
    large enough. A gain that is not yet clear enough may become so.
    """
    if not values:
        return True
    if is_hopeless(values, policy) or len(values) >= policy.max_pairs:
        return False
    found = finding(values, terms, policy)
    return found is Finding.OPEN or (found is Finding.GAIN and not is_large(values, policy))


def promotes(values: Sequence[float], terms: Terms, policy: Policy) -> bool:
    """Whether these pairs alone would promote."""
    return finding(values, terms, policy) is Finding.GAIN and is_large(values, policy)


def is_hopeless(values: Sequence[float], policy: Policy) -> bool:
    """Whether the candidate is so much slower that no further pair is worth its time."""
    return fmean(values) < -math.log1p(policy.hopeless_loss)


def is_screened_out(timed: Sequence[WorkloadTiming], policy: Policy) -> bool:
    """Whether these workloads of a first process pair say that the others need not be timed.

    Every one of at least `screened_workloads` is slower by more than `hopeless_loss`. Had one of
    them not been, the others might still make up for it.
    """
    losses = [median(counted(timing, policy)) for timing in timed if usable(timing)]
    least = -math.log1p(policy.hopeless_loss)
    return len(losses) >= policy.screened_workloads and max(losses) < least


def is_large(values: Sequence[float], policy: Policy) -> bool:
    """Whether the mean of the pairs is a gain worth a promotion, and its interval excludes none."""
    mean = log_interval([[(x,)] for x in values], policy.sigma_floor)
    return mean.estimate >= math.log1p(policy.min_gain) and mean.low > 0
