"""Situations in a few words."""

import math

from coordinator.catalogue import load
from coordinator.situation import Effort, Mark, Owner, Situation
from guard.domain.decision import Policy

CATALOGUE = load()
POLICY = Policy()
SOFTMAX = frozenset({"normalisation"})


def situation(**changes: object) -> Situation:
    """Of a normalisation on a CPU."""
    return Situation.model_validate({"device_kind": "cpu", "families": SOFTMAX, **changes})


def effort(
    strategy: str, speedup: float = 0.0, *, id_: int = 1, tried: int = 0, **more: int
) -> Effort:
    """A strategy with so many benchmarked candidates; the best one's interval is narrow."""
    best = (
        Mark(submission_id=id_, speedup=speedup, low=speedup * 0.99, over_parents=speedup)
        if speedup
        else None
    )
    counts = {"claims": 1, "handed_in": tried, "benchmarked": tried, "measured": tried, **more}
    gain = math.log(speedup) if speedup > 1 else 0.0
    lane = strategy.partition(".")[0]
    return Effort.model_validate(
        {"strategy": strategy, "lane": lane, "best": best, "win": best, "gain": gain, **counts}
    )


def firsts(*lanes: str, **gains: float) -> tuple[Effort, ...]:
    """The first strategy of each lane with three candidates; `gains`: what some of them won.

    Submission numbers are those of the lanes.
    """
    return tuple(
        effort(
            next(s.id for s in CATALOGUE.fitting("cpu", SOFTMAX) if s.lane == lane),
            gains.get(lane.replace("-", "_"), 0.9),
            id_=1 + CATALOGUE.lanes.index(lane),
            tried=3,
        )
        for lane in lanes
    )


def owner(workload: str, id_: int, strategy: str, lead: float = 1.0) -> Owner:
    """Who is fastest on one workload."""
    return Owner(workload=workload, submission_id=id_, strategy=strategy, lead=lead)
