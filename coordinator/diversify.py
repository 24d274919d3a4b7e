"""Choose the strategy that an agent gets, so that the team looks in different places.

Pure functions over a `Situation`: no clock, no disk. The same situation gives the same choice, and
each choice comes with the sentence that explains it, which is stored with the claim.

    Catalogue × Situation -> Choice

Start at `choose`; `_rank` holds the order of preference. Not here: leases and races (`claims`).
"""

from collections.abc import Iterable
from typing import NamedTuple

from coordinator.catalogue import Catalogue, Strategy
from guard.domain.value import Value


class Past(Value):
    """One earlier or present claim of the campaign, held ones included."""

    strategy: str
    lane: str
    win: float | None = None
    """The best speedup over the baseline that a win posted under it tells; none without a win."""


class Situation(Value):
    """All that a choice depends on."""

    device_kind: str
    families: frozenset[str]
    """Operator families of the problem."""
    held: frozenset[str] = frozenset()
    """Strategies that siblings hold: never handed out."""
    expired: frozenset[str] = frozenset()
    """Strategies whose holder's lease ran out: handed out after the free ones."""
    history: tuple[Past, ...] = ()
    prefer: str = ""
    """A strategy or lane that the agent wishes for, or nothing."""
    avoid_lane: str = ""
    """The lane in which this agent has just reached its plateau."""


class Choice(NamedTuple):
    """A strategy and why."""

    strategy: Strategy
    reason: str


def choose(catalogue: Catalogue, situation: Situation) -> Choice | None:
    """The strategy to hand out, or None when every fitting one is taken.

    A wish is granted when it is free, runs on the device, and does not lead back to the lane of
    the agent's plateau. Otherwise: lanes that no sibling is on, then lanes that nobody tried, then
    lanes with wins.
    """
    options = [s for s in free(catalogue, situation) if s.lane != situation.avoid_lane]
    wished = _wished(catalogue, situation)
    if wished:
        best = min(wished, key=lambda s: (s not in options, *_rank(s, situation)))
        return Choice(best, f"You asked for {situation.prefer!r}, and it was free.")
    if not options:
        return None
    best = min(options, key=lambda s: _rank(s, situation))
    return Choice(best, _reason(catalogue, best, situation))


def free(catalogue: Catalogue, situation: Situation) -> tuple[Strategy, ...]:
    """The strategies that fit the problem and device and that no sibling holds."""
    fitting = catalogue.fitting(situation.device_kind, situation.families)
    return tuple(s for s in fitting if s.id not in situation.held)


def _wished(catalogue: Catalogue, situation: Situation) -> list[Strategy]:
    # Operator families are a guess from words, so a wish may go beyond them; the device is none.
    return [s for s in _named(catalogue, situation.prefer) if not _obstacle(s, situation)]


def _named(catalogue: Catalogue, wish: str) -> list[Strategy]:
    return [s for s in catalogue.strategies if wish in (s.id, s.lane)]


def _obstacle(strategy: Strategy, situation: Situation) -> str:
    """Why a wish for this strategy cannot be granted, or nothing."""
    if strategy.lane == situation.avoid_lane:
        return "its lane is the one that has just reached a plateau"
    if not strategy.runs_on(situation.device_kind):
        return f"it does not apply to a device of kind {situation.device_kind!r}"
    return "another agent holds it" if strategy.id in situation.held else ""


def _rank(strategy: Strategy, situation: Situation) -> tuple[bool, bool, int, float, int, int]:
    """Smaller is handed out first; equal ranks keep the order of the catalogue."""
    lane = strategy.lane
    in_lane = [past for past in situation.history if past.lane == lane]
    gain = _best_win(in_lane)
    return (
        strategy.id in situation.expired,
        any(past.strategy in situation.held for past in in_lane),
        0 if not in_lane else 1 if gain else 2,
        -gain,
        sum(past.strategy == strategy.id for past in in_lane),
        len(in_lane),
    )


def _best_win(history: Iterable[Past]) -> float:
    return max((past.win for past in history if past.win is not None), default=0.0)


def _reason(catalogue: Catalogue, strategy: Strategy, situation: Situation) -> str:
    parts = []
    if situation.prefer:
        obstacles = [_obstacle(s, situation) for s in _named(catalogue, situation.prefer)]
        parts.append(f"You asked for {situation.prefer!r}, but {obstacles[0]}.")
    if situation.avoid_lane:
        parts.append(f"Lane {situation.avoid_lane!r} reached its plateau, so you change lanes.")
    in_lane = [past for past in situation.history if past.lane == strategy.lane]
    gain = _best_win(in_lane)
    if not in_lane:
        parts.append(f"Nobody has tried lane {strategy.lane!r} in this campaign yet.")
    elif gain:
        parts.append(f"Lane {strategy.lane!r} has brought {gain:.2f} times the baseline's speed.")
    else:
        parts.append(f"Lane {strategy.lane!r} has no win yet; here this was tried least.")
    return " ".join(parts)
