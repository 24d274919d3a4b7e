"""Whether candidates do what their claim's strategy says: judged once, counted from the record.

    strategy × compiled candidate -> Adherence          benchmarked candidates -> off in a row

Pure functions: the count comes out the same after a restart, and is never stored. What cannot be
told on this host counts as neither, so nobody is refused for a tool that is missing.

Start at `judge`, then `off_in_row`. Not here: what a predicate may ask (`predicates`), which
strategies are free (`claims`), the words of the answers (`server.adherence`).
"""

from collections.abc import Sequence

from coordinator.catalogue import Catalogue, Strategy
from coordinator.composites import parse, parts_of
from coordinator.conditions import Finding
from coordinator.predicates import has_limits, joined
from coordinator.seen import Seen, look
from coordinator.situation import Phase
from guard.domain.adherence import Adherence
from guard.domain.decision import Policy
from guard.domain.problem import Definition
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.packed import unpack


def see(solution: Solution, report: CompileReport) -> Seen:
    """What is known of a candidate that a referee has just reported on, listings included."""
    texts = {one.kind: "\n".join(unpack(one.packed)) for one in report.listings}
    return look(solution, report, {kind: text for kind, text in texts.items() if text})


def judge(
    catalogue: Catalogue, strategy_id: str, seen: Seen, definition: Definition, device_kind: str
) -> Adherence | None:
    """What the evidence says; None where nothing was compiled or the strategy is unknown."""
    parts = parts_of(strategy_id)
    strategies = [s for part in parts if (s := catalogue.get(part)) is not None]
    if len(strategies) < len(parts) or not seen.report.ok:
        return None
    found = _found(strategy_id, strategies, seen)
    fitting = catalogue.fitting(device_kind, catalogue.families_of(definition))
    others = [
        (other.shown_by.judge(seen), other.id)
        for other in fitting
        if other.id not in parts and seen.language in other.applies.languages
    ]
    # Equal points keep the order of the catalogue.
    shown = sorted((one for one in others if one[0].holds), key=lambda one: -one[0].points)
    return Adherence(
        holds=found.holds, evidence=found.evidence, follows=tuple(id_ for _, id_ in shown)
    )


def _found(strategy_id: str, strategies: Sequence[Strategy], seen: Seen) -> Finding:
    """What the evidence says of a strategy, or of all that a composite is made of."""
    composite = parse(strategy_id)
    if composite is None:
        return strategies[0].shown_by.judge(seen)
    several = composite.lane == Phase.PER_SHAPE.value
    findings = [_of_part(strategy, seen, several=several) for strategy in strategies]
    return joined(findings, decisive=False)


def _of_part(strategy: Strategy, seen: Seen, *, several: bool) -> Finding:
    """What the evidence says of one part; `several`: others' code lies beside it in the candidate.

    An idea that was shown in another language is not looked for here, and a limit that the
    code beside it may exceed is not held against it: both cannot be told.
    """
    found = strategy.shown_by.judge(seen)
    if not found.holds and seen.language not in strategy.applies.languages:
        return Finding(None, f"{strategy.id} cannot be told in {seen.language}")
    if found.holds is False and several and has_limits(strategy.shown_by):
        return Finding(None, f"{strategy.id} sets limits that another branch may exceed")
    return found._replace(evidence=f"{strategy.id}: {found.evidence}")


def off_in_row(candidates: Sequence[Adherence | None]) -> int:
    """How many benchmarked candidates, the newest last, were off with none on it in between."""
    count = 0
    for found in reversed(candidates):
        if found is None or found.holds is None:
            continue
        if found.holds:
            break
        count += 1
    return count


def is_nudged(off: int, policy: Policy) -> bool:
    """Whether so long a row means that the agent is told to claim what it really does."""
    return off >= policy.off_strategy_nudge


def is_refused(off: int, candidate: Adherence | None, policy: Policy) -> bool:
    """Whether one more candidate, after so long a row, is not benchmarked."""
    strays = candidate is not None and candidate.holds is False
    return strays and off + 1 >= policy.off_strategy_limit
