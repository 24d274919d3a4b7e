"""Strategies that are made of others: two wins in one kernel, or a dispatch between two winners.

    efforts with a win each, of different lanes -> pairs           owners per workload -> dispatches

A composite is known by its id alone, ``combine.A+B`` or ``per-shape.A+B``, so the catalogue need
not grow, and what was tried is told by the same record as for every strategy. Which submissions it
is to be made of is stored with the claim. Pure.

Start at `pairs` and `dispatches`. Not here: which one is handed out (`diversify`), whether a
candidate follows it (`adherence`).
"""

import math
from collections.abc import Iterable
from itertools import combinations

from coordinator.catalogue import Catalogue
from coordinator.situation import Effort, Mark, Phase, Situation
from guard.domain.decision import Policy
from guard.domain.value import Value

KINDS = (Phase.COMBINE.value, Phase.PER_SHAPE.value)
"""Lanes that the catalogue has no strategies for."""


class Composite(Value):
    """One strategy made of others."""

    lane: str
    parts: tuple[str, ...]
    """The strategies of the catalogue that it is made of, each once, in order."""
    parents: tuple[int, ...] = ()
    """The submissions to make it of."""
    promise: float = 0.0
    """What it would bring over the champion if gains added up (log units)."""

    @property
    def id(self) -> str:
        """``lane.strategy+strategy``."""
        return f"{self.lane}.{'+'.join(self.parts)}"

    @property
    def lanes(self) -> frozenset[str]:
        """The lanes of its parts."""
        return frozenset(part.partition(".")[0] for part in self.parts)


def parse(strategy_id: str) -> Composite | None:
    """The composite that an id names; None for a strategy of the catalogue."""
    lane, _, rest = strategy_id.partition(".")
    return Composite(lane=lane, parts=tuple(rest.split("+"))) if lane in KINDS and rest else None


def is_known(strategy_id: str, catalogue: Catalogue) -> bool:
    """Whether an id names a composite of strategies that there are."""
    composite = parse(strategy_id)
    return composite is not None and all(map(catalogue.get, composite.parts))


def parts_of(strategy_id: str) -> tuple[str, ...]:
    """What a strategy is made of: itself, unless it is a composite."""
    composite = parse(strategy_id)
    return composite.parts if composite is not None else (strategy_id,)


def pairs(situation: Situation, policy: Policy) -> tuple[Composite, ...]:
    """Two wins of different lanes that nobody has really combined yet, the most promising first.

    A win here is what the record proves: a believed submission that is faster than the baseline
    with its whole interval, and than what it builds on by `combine_gain` at least: what grew from
    the champion has its speed, and is no win for that. Of each lane the best one takes part. Where
    one of the two shows the other's idea as well, or where both gains together would not lead the
    champion, there is nothing to combine.
    """
    found = [
        _pair(one, other, situation) for one, other in combinations(_wins(situation, policy), 2)
    ]
    return _open(
        (
            c
            for c in found
            if c is not None
            and len(c.parts) <= policy.combine_most
            and c.promise >= math.log1p(policy.min_gain)
        ),
        situation,
        policy,
    )


def dispatches(situation: Situation, policy: Policy) -> tuple[Composite, ...]:
    """The dispatch between those who lead on different workloads, if it promises enough.

    Whoever leads the champion by less than `frontier_lead` on a workload does not own it: what is
    fastest there may be chance.
    """
    leads = {
        o.workload: o
        for o in situation.frontier
        if o.lead >= 1 + policy.frontier_lead and o.submission_id != situation.champion
    }
    owners = {o.submission_id: o.strategy for o in leads.values()}
    if len(leads) < len(situation.frontier) and situation.champion:
        owners[situation.champion] = _champions(situation)
    promise = sum(math.log(o.lead) for o in leads.values()) / max(1, len(situation.frontier))
    if len(owners) < 2 or promise < math.log1p(policy.min_gain):
        return ()
    parts = _flat(strategy for strategy in owners.values() if strategy)
    dispatch = Composite(
        lane=Phase.PER_SHAPE.value, parts=parts, parents=tuple(sorted(owners)), promise=promise
    )
    return _open([dispatch], situation, policy)


def is_tried(effort: Effort | None, policy: Policy) -> bool:
    """Whether a strategy has had the candidates that it is given before it is judged.

    What the record answered counts as well: it is known what that brings.
    """
    return effort is not None and (
        effort.measured >= policy.refine_candidates
        or effort.handed_in >= policy.refine_attempts
        or effort.exhausted > 0
    )


def _wins(situation: Situation, policy: Policy) -> list[tuple[Effort, Mark]]:
    """The best win of each set of lanes, the best first."""
    won = [
        (effort, effort.win)
        for effort in situation.efforts
        if effort.win is not None
        and effort.win.low > 1
        and effort.win.over_parents >= 1 + policy.combine_gain
    ]
    found: dict[frozenset[str], tuple[Effort, Mark]] = {}
    for effort, best in sorted(won, key=lambda one: -one[1].over_parents):
        found.setdefault(_lanes(effort.strategy), (effort, best))
    return list(found.values())


def _pair(
    one: tuple[Effort, Mark], other: tuple[Effort, Mark], situation: Situation
) -> Composite | None:
    if _lanes(one[0].strategy) & _lanes(other[0].strategy):
        return None
    if _shows(one[1], other[0]) or _shows(other[1], one[0]):
        return None
    # The faster is what the other's gain is brought into.
    (first, base), (second, added) = sorted((one, other), key=lambda each: -each[1].speedup)
    champion = max((e.best.speedup for e in situation.efforts if e.best is not None), default=1.0)
    return Composite(
        lane=Phase.COMBINE.value,
        parts=_flat((first.strategy, second.strategy)),
        parents=(base.submission_id, added.submission_id),
        promise=math.log(base.speedup) + math.log(added.over_parents) - math.log(champion),
    )


def _shows(mark: Mark, other: Effort) -> bool:
    """Whether a candidate was built along another strategy as well, whatever its claim said."""
    return mark.follows.issuperset(parts_of(other.strategy))


def _open(
    found: Iterable[Composite], situation: Situation, policy: Policy
) -> tuple[Composite, ...]:
    open_ = [one for one in found if not is_tried(situation.effort(one.id), policy)]
    # Two ways to the same parts are one composite; the more promising parents stay.
    best = {one.id: one for one in sorted(open_, key=lambda one: (one.promise, one.id))}
    return tuple(sorted(best.values(), key=lambda one: (-one.promise, one.id)))


def _lanes(strategy_id: str) -> frozenset[str]:
    return frozenset(part.partition(".")[0] for part in parts_of(strategy_id))


def _flat(strategies: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({part for strategy in strategies for part in parts_of(strategy)}))


def _champions(situation: Situation) -> str:
    """The strategy under which the champion was handed in."""
    own = (o.strategy for o in situation.frontier if o.submission_id == situation.champion)
    marks = (
        e.strategy
        for e in situation.efforts
        if e.best is not None and e.best.submission_id == situation.champion
    )
    return next(own, next(marks, ""))
