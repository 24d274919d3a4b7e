"""Duels drawn from recorded A/A pairs, decided by the guard's own rule.

    A/A pairs, a planted gain -> campaigns of drawn duels -> how many are promoted

A campaign is played as in earnest: sigma is known from a few drawn pairs at first and from more as
A/A duels come in, and alpha is spent duel by duel. Pure but for the generator that is handed in.

Start at `resampled`. Not here: how pairs are timed (`false_promotion`).
"""

import math
import random
from collections.abc import Sequence

from guard.domain.decision import Policy, Terms
from guard.domain.value import Value
from guard.promotion import goes_on, is_quiet_enough, promotes, terms


class Rate(Value):
    """How often candidates with one true gain were promoted."""

    gain: float
    """A fraction; zero: nothing differs."""
    duels: int
    promoted: int
    pairs: float
    """Process pairs of one duel, on average."""

    @property
    def share(self) -> float:
        """The share that was promoted."""
        return self.promoted / self.duels

    @property
    def at_most(self) -> float:
        """The upper end of a 95 % interval of that share; with none promoted the rule of three."""
        if not self.promoted:
            return min(1.0, 3 / self.duels)
        error = math.sqrt(self.share * (1 - self.share) / self.duels)
        return min(1.0, self.share + 1.96 * error)


def resampled(
    values: Sequence[float], gain: float, duels: int, rng: random.Random, policy: Policy
) -> Rate:
    """Draw so many duels, in campaigns of the planned length."""
    promoted = pairs = 0
    noise: list[float] = []
    for index in range(duels):
        number = index % policy.planned_duels + 1
        if number == 1:
            noise = seeded(values, rng, policy)
        under = terms(number, noise, policy)
        drawn = draw(values, gain, rng, under, policy)
        promoted += promotes(drawn, under, policy)
        pairs += len(drawn)
        if number % policy.aa_every == 0:
            noise += draw(values, 0.0, rng, under, policy)
    return Rate(gain=gain, duels=duels, promoted=promoted, pairs=pairs / duels)


def seeded(values: Sequence[float], rng: random.Random, policy: Policy) -> list[float]:
    """The A/A pairs that a campaign begins with."""
    noise: list[float] = []
    while len(noise) < policy.most_aa_pairs and not is_quiet_enough(noise, policy):
        noise.append(rng.choice(values))
    return noise


def draw(
    values: Sequence[float], gain: float, rng: random.Random, under: Terms, policy: Policy
) -> list[float]:
    """The pairs of one duel, drawn until the rule has seen enough."""
    drawn: list[float] = []
    while goes_on(drawn, under, policy):
        drawn.append(rng.choice(values) + math.log1p(gain))
    return drawn
