"""The sequential test of a duel: do its process pairs speak for a gain, against it, or neither yet?

Pure functions over recorded numbers: no clock, no disk, no device, no logging.

    log-ratio of each pair × Terms × Policy -> weight in nats -> Finding

A likelihood-ratio test between *no gain* and *a gain of `test_gain`*. Each pair adds one step,
which is clipped: heavy tails and single disturbed processes are what promotes noise otherwise. How
noisy a pair is (sigma) was seen on duels of the champion against itself, on the same machine.

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


class Finding(StrEnum):
    """What a duel's pairs say so far."""

    GAIN = "gain"
    NO_GAIN = "no gain"
    OPEN = "open"


def sigma(values: Sequence[float], policy: Policy) -> float:
    """The spread of a pair's log-ratio, from the newest pairs of a champion against itself.

    The deviation is taken from zero, which is the truth of such a pair, so a constant bias counts
    as noise too. Without any pair, `unknown_sigma`.
    """
    newest = values[-policy.sigma_window :]
    if not newest:
        return policy.unknown_sigma
    return max(NORMAL * median(abs(x) for x in newest), policy.sigma_floor)


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
    """How much these pairs speak for a gain, in nats; below zero they speak against one."""
    noisy = terms.sigma > policy.noisy_sigma
    gain = math.log1p(policy.noisy_test_gain if noisy else policy.test_gain)
    scale, limit = gain / terms.sigma**2, policy.step_limit
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
