"""The order of preference within a phase: keys to sort strategies by, the smaller the better.

    Strategy × Situation -> explore: distinct lanes first      -> refine: what pays, how sure

Pure; equal keys keep the order of the catalogue. Start at `explore` and `refine`. Not here: which
phase it is (`phases`).
"""

import math
from collections.abc import Iterable

from coordinator.catalogue import Strategy
from coordinator.composites import is_tried
from coordinator.situation import Effort, Situation
from guard.domain.decision import Policy
from guard.domain.value import Value


class Option(Value):
    """A strategy that could be refined."""

    strategy: str
    lane: str
    fits: bool
    """Whether it is meant for what binds the champion, and for how far from the bound that is."""


def fits(strategy: Strategy, situation: Situation) -> bool:
    """Whether what binds the champion, and its headroom, are those that a strategy is for.

    What is not known rules nothing out. It orders and never refuses: a bound is an estimate.
    """
    applies, kind = strategy.applies, situation.resource
    binds = not kind or any(kind.startswith(known) for known in applies.bottlenecks)
    low, high = applies.bound_fraction
    return binds and (situation.reached is None or low <= situation.reached <= high)


def explore(
    strategy: Strategy, situation: Situation
) -> tuple[bool, bool, int, bool, float, int, int]:
    """Free leases first, lanes without a sibling, untried lanes, what fits, lanes that gained."""
    in_lane = situation.efforts_in(strategy.lane)
    gain = gained(in_lane)
    own = situation.effort(strategy.id)
    return (
        strategy.id in situation.expired,
        situation.siblings_on(strategy.lane) > 0,
        0 if not in_lane else 1 if gain > 0 else 2,
        not fits(strategy, situation),
        -gain,
        own.claims if own is not None else 0,
        sum(effort.claims for effort in in_lane),
    )


def refine(
    option: Option, situation: Situation, policy: Policy
) -> tuple[bool, bool, int, bool, float]:
    """Free leases first, what has not stalled, what is new to the agent, what fits or has paid.

    Then the score. What an agent has given back in its full depth is for others to look at again;
    where nothing else is left, it comes back in turn.
    """
    own = situation.effort(option.strategy)
    return (
        option.strategy in situation.expired,
        own is not None and own.exhausted > 0,
        situation.given_back.count(option.strategy) if is_tried(own, policy) else 0,
        not option.fits and (own is None or own.best is None),
        -score(option, situation, policy),
    )


def score(option: Option, situation: Situation, policy: Policy) -> float:
    """What one more candidate promises (log units): what one brought, and more the less was tried.

    An upper confidence bound. What counts is the gain over the champion of then, since everybody
    goes on from the champion: what was gained once is in it. A strategy that was not really tried
    is believed to bring what its lane does, and an untried lane what all do. What failed was a
    trial, too. Each sibling on the lane counts against it, since what they find they will tell.
    """
    own = [effort for effort in situation.efforts if effort.strategy == option.strategy]
    in_lane = situation.efforts_in(option.lane)
    known = own if own and is_tried(own[0], policy) else in_lane
    if not _trials(known):
        known = list(situation.efforts)
    brought = gained(known) / max(1, _trials(known))
    unsure = math.sqrt(math.log1p(_trials(situation.efforts)) / (1 + _trials(own)))
    return brought + policy.refine_width * (unsure - situation.siblings_on(option.lane))


def gained(efforts: Iterable[Effort]) -> float:
    """What several strategies gained together (log units)."""
    return math.fsum(effort.gain for effort in efforts)


def _trials(efforts: Iterable[Effort]) -> int:
    return sum(effort.handed_in for effort in efforts)
