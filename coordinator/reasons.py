"""The sentence that says why an agent gets its strategy: stored with the claim, and shown.

Pure. It tells the phase, what the record holds, and why a wish was not granted. Start at
`explored`. Not here: the choice itself (`diversify`).
"""

import math

from coordinator.catalogue import Strategy
from coordinator.composites import Composite
from coordinator.ranking import Option, fits, gained
from coordinator.situation import Left, Phase, Situation
from guard.domain.decision import Policy

NOTHING_TO_COMPOSE = "the record holds nothing now that could be combined so"


def granted(wish: str) -> str:
    """The agent has what it asked for."""
    return f"You asked for {wish!r}, and it was free."


def prefix(against: str, situation: Situation) -> str:
    """What comes before the reason: a wish that was not granted, a change of lanes."""
    parts = []
    if against:
        parts.append(f"You asked for {situation.prefer!r}, but {against}. ")
    if situation.avoid_lane:
        parts.append(f"Lane {situation.avoid_lane!r} reached its plateau, so you change lanes. ")
    return "".join(parts)


def unfinished(left: Left, policy: Policy) -> str:
    """An agent gets back what it left too soon."""
    return (
        f"Refine: you left it after {left.benchmarked} of {policy.refine_candidates} benchmarked "
        "candidates, and an idea is judged after so many."
    )


def explored(strategy: Strategy, situation: Situation) -> str:
    """Why this lane is explored."""
    return f"Explore: {_record(strategy.lane, situation)}{_binding(strategy, situation)}."


def refined(option: Option, situation: Situation) -> str:
    """Why this strategy is refined."""
    own = situation.effort(option.strategy)
    tried = f"{own.benchmarked} of them here" if own is not None else "this one is untried"
    total = sum(effort.benchmarked for effort in situation.efforts_in(option.lane))
    told = _record(option.lane, situation)
    return f"Refine: {told}; {total} benchmarked there so far, {tried}."


def composed(composite: Composite) -> str:
    """Why these are combined."""
    ids = " and ".join(map(str, composite.parents))
    if composite.lane == Phase.PER_SHAPE.value:
        return (
            f"Per shape: submissions {ids} are each the fastest on some workloads; a dispatch "
            f"between them promises {_percent(composite.promise)} over the champion."
        )
    lanes = ", ".join(sorted(composite.lanes))
    return (
        f"Combine: submissions {ids} won in different lanes ({lanes}), and nobody has put the two "
        "together yet."
    )


def _record(lane: str, situation: Situation) -> str:
    in_lane = situation.efforts_in(lane)
    if not in_lane:
        return f"nobody has tried lane {lane!r} in this campaign yet"
    gain = gained(in_lane)
    if gain > 0:
        return (
            f"lane {lane!r} has made the champions that it met {math.exp(gain):.2f} times as fast"
        )
    return f"lane {lane!r} has gained nothing yet; here this was tried least"


def _binding(strategy: Strategy, situation: Situation) -> str:
    """Whether it is meant for what binds, where that is known."""
    if not situation.resource:
        return ""
    reached = f" at {situation.reached:.0%} of the bound" if situation.reached is not None else ""
    suits = "which it is for" if fits(strategy, situation) else "though others are for that"
    return f"; {situation.resource} binds the champion{reached}, {suits}"


def _percent(log_units: float) -> str:
    return f"{log_units:.1%}"
