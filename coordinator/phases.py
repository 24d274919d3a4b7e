"""Which phase the search on a problem is in: a pure function of the record.

    explore ── enough lanes have brought something ──> refine
    refine ─── two lanes have wins that were not combined ──> combine
    any ────── candidates lead on different workloads ──> per-shape

Phases come and go: a pair that was combined is tried, and what is left is refining again. Start at
`phase_of`. Not here: what is handed out (`diversify`), what can be combined (`composites`).
"""

from coordinator.catalogue import Catalogue
from coordinator.composites import dispatches, pairs
from coordinator.situation import Phase, Situation
from guard.domain.decision import Policy

LATEST_FIRST = (Phase.PER_SHAPE, Phase.COMBINE, Phase.REFINE, Phase.EXPLORE)


def phase_of(catalogue: Catalogue, situation: Situation, policy: Policy) -> Phase:
    """The latest phase whose condition the record meets, whoever holds what."""
    if not is_explored(catalogue, situation, policy):
        return Phase.EXPLORE
    if dispatches(situation, policy):
        return Phase.PER_SHAPE
    return Phase.COMBINE if pairs(situation, policy) else Phase.REFINE


def is_explored(catalogue: Catalogue, situation: Situation, policy: Policy) -> bool:
    """Whether enough lanes were really tried; fewer are enough where fewer apply."""
    fitting = catalogue.fitting(situation.device_kind, situation.families, situation.architecture)
    lanes = {strategy.lane for strategy in fitting}
    tried = {
        effort.lane
        for effort in situation.efforts
        if effort.benchmarked or effort.handed_in >= policy.refine_attempts
    }
    return len(lanes & tried) >= min(policy.explore_lanes, len(lanes))


def later(phase: Phase) -> tuple[Phase, ...]:
    """This phase, then those to fall back on when it has nothing left to hand out."""
    return LATEST_FIRST[LATEST_FIRST.index(phase) :]
