"""How near the champion of a campaign is to the bound, and what binds it.

    champion's latencies × bounds -> Headroom

Start at `headroom`; `headroom_of` is its pure half. Not here: what a bound is (`guard.bound`), what
follows from being near it (`plateau`, `ceiling`, `ranking`).
"""

import math
from collections.abc import Mapping

from coordinator.plateau import bound_fraction
from guard.domain.bound import Bound
from guard.domain.trace import Baseline, Timed
from guard.domain.value import Value
from memory import views
from memory.engine import Database
from memory.records import Benchmark, Campaign


class Headroom(Value):
    """Where the champion stands."""

    reached: float | None = None
    """How much of the bound it reaches; None where no bound is known."""
    resource: str = ""
    """What binds where it has most to win; empty where no bound is known."""


def headroom(database: Database, campaign: Campaign) -> Headroom:
    """Where the champion of a campaign stands now."""
    if not campaign.baseline.bounds:
        return Headroom()
    champion = views.champion(database, campaign.id).submission_id
    timed = views.benchmark_of(database, champion) if champion else None
    return headroom_of(campaign.baseline, timed)


def headroom_of(baseline: Baseline, champion: Benchmark | None) -> Headroom:
    """Where a champion stands; none: the baseline itself. Pure."""
    bounds = baseline.bounds
    if not bounds:
        return Headroom()
    latencies_ms = dict(baseline.latency_ms)
    if champion is not None:
        latencies_ms = {
            uuid: evaluation.performance.latency_ms
            for uuid, evaluation in champion.evaluations.items()
            if isinstance(evaluation, Timed)
        }
    return Headroom(
        reached=bound_fraction(latencies_ms, bounds), resource=binding(latencies_ms, bounds)
    )


def binding(latencies_ms: Mapping[str, float], bounds: Mapping[str, Bound]) -> str:
    """The resource that binds where most is left to win; of equal ones the first by name."""
    left: dict[str, float] = {}
    for uuid, latency_ms in latencies_ms.items():
        if uuid in bounds:
            # In log units, as speedups are averaged; what is at its bound still counts a little.
            gap = max(math.log(latency_ms / bounds[uuid].bound_ms), 1e-3)
            resource = bounds[uuid].resource
            left[resource] = left.get(resource, 0.0) + gap
    return min(left, key=lambda resource: (-left[resource], resource), default="")
