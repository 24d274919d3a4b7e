"""Choose the strategy that an agent gets, so that the team looks in different places, then deep.

Pure functions over a `Situation`: no clock, no disk. The same situation gives the same choice, and
each choice comes with the sentence that explains it, which is stored with the claim.

    Catalogue × Situation × Policy -> phase -> Choice

Start at `choose`. Not here: leases and races (`claims`), the phases (`phases`), the order of
preference within one (`ranking`), its words (`reasons`).
"""

from coordinator import ranking, reasons
from coordinator.catalogue import Catalogue, Strategy
from coordinator.composites import Composite, dispatches, is_tried, pairs, parse
from coordinator.phases import later, phase_of
from coordinator.situation import Left, Phase, Situation
from guard.domain.decision import Policy
from guard.domain.value import Value


class Choice(Value):
    """What an agent gets, and why."""

    strategy: str
    lane: str
    phase: Phase
    """What it is handed out for."""
    parents: tuple[int, ...] = ()
    """The submissions that a composite is to be made of."""
    reason: str


def choose(catalogue: Catalogue, situation: Situation, policy: Policy) -> Choice | None:
    """The strategy to hand out, or None when every fitting one is taken.

    What an agent left before it was refined in depth comes back first. A wish is granted when it
    is free, runs on the device, and does not lead back to the lane of the agent's plateau. Else
    the phase of the problem decides; where it has nothing left, the phase before it does.
    """
    unfinished = _unfinished(situation, policy)
    if unfinished is not None:
        return unfinished
    phase = phase_of(catalogue, situation, policy)
    for found in (_wished(catalogue, situation, policy, phase), *_by_phase(catalogue, situation,
                  policy, phase)):  # fmt: skip
        if found is not None:
            return found
    return None


def free(catalogue: Catalogue, situation: Situation) -> tuple[Strategy, ...]:
    """The strategies that fit the problem and device and that no sibling holds."""
    fitting = catalogue.fitting(situation.device_kind, situation.families, situation.architecture)
    return tuple(s for s in fitting if s.id not in situation.held)


def names(catalogue: Catalogue, situation: Situation, policy: Policy) -> tuple[str, ...]:
    """What an agent may wish for now: every lane and strategy, and what can be combined."""
    composites = _composites(situation, policy)
    return (*catalogue.names, *(p.value for p in _KINDS), *(one.id for one in composites))


_KINDS = (Phase.COMBINE, Phase.PER_SHAPE)


def _composites(situation: Situation, policy: Policy) -> tuple[Composite, ...]:
    return (*dispatches(situation, policy), *pairs(situation, policy))


def _unfinished(situation: Situation, policy: Policy) -> Choice | None:
    """The strategy that the agent left before the depth that refining asks for."""
    left = situation.left
    if left is None or left.strategy in situation.held or not is_owed(left, policy):
        return None
    told = reasons.unfinished(left, policy)
    return Choice(
        strategy=left.strategy,
        lane=left.lane,
        phase=Phase.REFINE,
        parents=left.parents,
        reason=told,
    )


def is_owed(left: Left, policy: Policy) -> bool:
    """Whether a claim that was handed out to refine ended before its depth, by the agent's will."""
    tried = left.benchmarked >= policy.refine_candidates or left.handed_in >= policy.refine_attempts
    return left.phase is Phase.REFINE and not (tried or left.exhausted or left.sent_away)


def _wished(
    catalogue: Catalogue, situation: Situation, policy: Policy, phase: Phase
) -> Choice | None:
    """What the agent asks for, where nothing stands against it."""
    wish, why = situation.prefer, reasons.granted(situation.prefer)
    named = [one for one in _composites(situation, policy) if wish in (one.id, one.lane)]
    for composite in named:
        if not _closed(composite, situation):
            return _composed(composite, why)
    # Operator families are a guess from words, so a wish may go beyond them; the device is none.
    granted = [
        s for s in catalogue.strategies
        if wish in (s.id, s.lane) and not obstacle(s, catalogue, situation)
    ]  # fmt: skip
    if not granted:
        return None
    fitting = free(catalogue, situation)
    first = min(granted, key=lambda s: (s not in fitting, *ranking.explore(s, situation)))
    plain = Phase.EXPLORE if phase is Phase.EXPLORE else Phase.REFINE
    return Choice(strategy=first.id, lane=first.lane, phase=plain, reason=why)


def obstacle(strategy: Strategy, catalogue: Catalogue, situation: Situation) -> str:
    """Why a wish for this strategy cannot be granted, or nothing."""
    if strategy.lane == situation.avoid_lane:
        return "its lane is the one that has just reached a plateau"
    if not strategy.runs_on(situation.device_kind):
        return f"it does not apply to a device of kind {situation.device_kind!r}"
    if not catalogue.is_for(strategy, situation.architecture):
        return f"it does not apply to {situation.architecture}"
    return "another agent holds it" if strategy.id in situation.held else ""


def _against(catalogue: Catalogue, situation: Situation) -> str:
    """Why the agent's wish was not granted, or nothing where it had none."""
    wish = situation.prefer
    if not wish:
        return ""
    for strategy in catalogue.strategies:
        if wish in (strategy.id, strategy.lane):
            return obstacle(strategy, catalogue, situation)
    return "another agent holds it" if wish in situation.held else reasons.NOTHING_TO_COMPOSE


def _by_phase(
    catalogue: Catalogue, situation: Situation, policy: Policy, phase: Phase
) -> list[Choice | None]:
    """What each phase would hand out, this one first."""
    prefix = reasons.prefix(_against(catalogue, situation), situation)
    options = [s for s in free(catalogue, situation) if s.lane != situation.avoid_lane]
    found: list[Choice | None] = []
    for one in later(phase):
        if one is Phase.EXPLORE:
            found.append(_explored(catalogue, options, situation, prefix))
        elif one is Phase.REFINE:
            found.append(_refined(options, situation, policy, prefix))
        else:
            listed = (dispatches if one is Phase.PER_SHAPE else pairs)(situation, policy)
            usable = [c for c in listed if not _closed(c, situation)]
            found += [_composed(c, prefix + reasons.composed(c)) for c in usable[:1]]
    return found


def _closed(composite: Composite, situation: Situation) -> bool:
    """Whether it cannot be handed out now, a win that a sibling combines already included.

    Two combinations of one win would mostly be the same kernel.
    """
    siblings = (parse(held) for held in situation.held)
    taken = {part for held in siblings if held is not None for part in held.parts}
    return not taken.isdisjoint(composite.parts) or composite.lane == situation.avoid_lane


def _composed(composite: Composite, reason: str) -> Choice:
    return Choice(
        strategy=composite.id,
        lane=composite.lane,
        phase=Phase(composite.lane),
        parents=composite.parents,
        reason=reason,
    )


def _explored(
    catalogue: Catalogue, options: list[Strategy], situation: Situation, prefix: str
) -> Choice | None:
    if not options:
        return None
    first = min(options, key=lambda s: ranking.explore(s, situation))
    told = prefix + reasons.explored(first, situation)
    return Choice(strategy=first.id, lane=first.lane, phase=Phase.EXPLORE, reason=told)


def _refined(
    options: list[Strategy], situation: Situation, policy: Policy, prefix: str
) -> Choice | None:
    """The best of the catalogue and of what was composed before and won."""
    known = [ranking.Option(strategy=s.id, lane=s.lane, fits=ranking.fits(s, situation))
             for s in options]  # fmt: skip
    for effort in situation.efforts:
        composite = parse(effort.strategy)
        won = effort.best is not None and is_tried(effort, policy)
        if composite is not None and won and not _closed(composite, situation):
            known.append(ranking.Option(strategy=effort.strategy, lane=effort.lane, fits=True))
    if not known:
        return None
    first = min(known, key=lambda option: ranking.refine(option, situation, policy))
    own = situation.effort(first.strategy)
    best = own.best if own is not None else None
    parents = (best.submission_id,) if best is not None and parse(first.strategy) else ()
    return Choice(
        strategy=first.strategy,
        lane=first.lane,
        phase=Phase.REFINE,
        parents=parents,
        reason=prefix + reasons.refined(first, situation),
    )
