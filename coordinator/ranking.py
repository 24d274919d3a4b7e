"""The order of preference within a phase: keys to sort strategies by, the smaller the better.

    Strategy × Situation -> explore: distinct lanes first      -> refine: what pays, how sure

Pure; equal keys keep the order of the catalogue. Start at `explore` and `refine`. Not here: which
phase it is (`phases`).
"""

import math

from coordinator.catalogue import Strategy
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
    """Free leases first, lanes without a sibling, untried lanes, what fits, lanes that won."""
    in_lane = [effort for effort in situation.efforts if effort.lane == strategy.lane]
    gain = best_speedup(in_lane)
    own = situation.effort(strategy.id)
    return (
        strategy.id in situation.expired,
        situation.siblings_on(strategy.lane) > 0,
        0 if not in_lane else 1 if gain > 1 else 2,
        not fits(strategy, situation),
        -gain,
        own.claims if own is not None else 0,
        sum(effort.claims for effort in in_lane),
    )


def refine(option: Option, situation: Situation, policy: Policy) -> tuple[bool, bool, bool, float]:
    """Free leases first, what has not stalled, what fits or has paid, then the score."""
    own = situation.effort(option.strategy)
    return (
        option.strategy in situation.expired,
        own is not None and own.exhausted > 0,
        not option.fits and (own is None or own.best is None),
        -score(option, situation, policy),
    )


def score(option: Option, situation: Situation, policy: Policy) -> float:
    """What a strategy is worth in log units: its best, and more the less it was tried.

    An upper confidence bound. An untried strategy is believed to be worth what its lane brought,
    and an untried lane what the weakest one did. Each sibling on the lane counts against it, since
    what they find they will tell.
    """
    in_lane = [effort for effort in situation.efforts if effort.lane == option.lane]
    own = [effort for effort in in_lane if effort.strategy == option.strategy]
    brought = best_speedup(own) or best_speedup(in_lane) or _weakest(situation)
    trials = sum(effort.benchmarked for effort in own)
    total = sum(effort.benchmarked for effort in situation.efforts)
    unsure = math.sqrt(math.log(1 + total) / (1 + trials))
    return math.log(brought) + policy.refine_width * (unsure - situation.siblings_on(option.lane))


def best_speedup(efforts: list[Effort]) -> float:
    """The best speedup over the baseline of several strategies; 0: nothing was timed."""
    return max((e.best.speedup for e in efforts if e.best is not None), default=0.0)


def _weakest(situation: Situation) -> float:
    lanes = {effort.lane for effort in situation.efforts}
    brought = [best_speedup([e for e in situation.efforts if e.lane == lane]) for lane in lanes]
    return min((speedup for speedup in brought if speedup), default=1.0)
