"""Time one workload on loaded sides: how long the blocks are, and the turns.

    size the blocks -> plain calls -> capture -> A B B A … -> audit blocks

Start at `time_workload`. Not here: fresh processes and their pairs (`duel`), one block (`clock`).
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from guard.asks import CallAsk
from guard.domain.decision import Policy
from guard.domain.problem import Problem, Workload
from guard.referee.asking import ask_each
from guard.referee.audit import audit
from guard.referee.blocks import Blocks, Mode, Plan
from guard.referee.clock import capture, turn
from guard.referee.court import Court, fresh_seed
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.referee.slots import Layout
from guard.referee.warm import again
from guard.steadiness import are_apart

CALIBRATION_SLOTS = 10
CALIBRATION_GROWTH = 8
ENOUGH = 0.25
"""Share of a block's length from which its calls stand out well enough to size blocks by.

Below it the fixed costs of a fresh process, which differ by 0.3 ms, may pass for slow calls."""
TOO_LONG = 2.5
"""How many times longer than it should be a block may be before it is sized anew."""
MIN_LONG = 4
SLOPED = 2
"""Turns that have a short block besides, drawn by lot: they tell the champion's fixed cost.

Every figure is less the same, so an error of it is none of a ratio."""
MIN_LATENCY_MS = 1e-4
"""Nothing is faster than this: an empty kernel takes ten times longer."""


@dataclass(frozen=True)
class Trial:
    """What both sides are given alike."""

    layout: Layout
    reference: Reference
    problem: Problem
    policy: Policy
    seed: int
    """Decides on random scalars, which are bound once for all slots of a workload."""


@dataclass(frozen=True)
class Times:
    """What was measured of one workload: per side, both blocks of every half turn."""

    plan: Plan
    plain: list[list[Blocks]]
    audits: list[list[Blocks]]
    """Empty per side when it was not audited."""
    warm: list[list[Blocks]]
    """Over one slot, with its data in cache; empty per side when that was not asked for."""


def time_workload(
    court: Court,
    both: Sequence[Side],
    problem: Problem,
    workload: Workload,
    reference: Reference,
    policy: Policy,
    *,
    audited: bool = False,
    warm: bool = False,
) -> Times:
    """Time a workload on these sides; `audited`: then audit both, of which there must be two.

    `warm`: at last time one slot's call with its data in cache, a figure that decides nothing.

    Raises:
        SideFailed: what one side did instead.
    """
    layout = Layout.of(problem.definition, workload)
    trial = Trial(layout, reference, problem, policy, fresh_seed())
    plan = _plan(court, both, trial)
    times = _turns(court, both, plan, reference, policy)
    while (length := _longer(both, trial, plan, times)) is not None:
        plan, _ = _warmed(both, trial, length, plan.mode)
        times = _turns(court, both, plan, reference, policy)
    for side, measured in zip(both, times, strict=True):
        court.paces.note(side.solution, workload, _rough_ms(measured))
    audits: list[list[Blocks]] = [[] for _ in both]
    if audited:
        slower_ms = max(_rough_ms(blocks) for blocks in times)
        audits = audit(court, both, plan, slower_ms, reference, policy)
    in_cache: list[list[Blocks]] = [[] for _ in both]
    if warm:
        in_cache = again(both, plan, policy.call_limit_s)
    return Times(plan, times, audits, in_cache)


def _turns(
    court: Court, both: Sequence[Side], plan: Plan, reference: Reference, policy: Policy
) -> list[list[Blocks]]:
    """A B B A …; a turn whose sides saw different clocks is kept, and timed once more as it was.

    How often is bounded: on a device that never keeps its clock, some workload stays undecided.
    """
    read = partial(court.device.conditions, court.identity)
    order = list(range(len(both)))
    times: list[list[Blocks]] = [[] for _ in both]
    left, repeats = 2 * policy.turns, policy.clock_repeats
    sloped = secrets.SystemRandom().sample(range(1, left + 1), min(SLOPED, left))
    while left:
        given = ([both[i] for i in order], plan, reference, policy.call_limit_s, read)
        taken = turn(*given, sloped=left in sloped)
        for i, blocks in zip(order, taken, strict=True):
            times[i].append(blocks)
        if repeats and are_apart([blocks.conditions for blocks in taken], policy):
            repeats -= 1
        else:
            left -= 1
            order.reverse()
    return times


def _plan(court: Court, both: Sequence[Side], trial: Trial) -> Plan:
    """Blocks made ready on both sides, and run once: that warms caches and mappings up.

    How long a call takes is known of whoever was timed here before, the champion as a rule, or
    found out by rehearsing. A candidate that is much slower has its blocks sized anew.
    """
    workload = trial.layout.workload
    known = (court.paces.of(side.solution, workload) for side in both)
    slower_ms = max(filter(None, known), default=None)
    mode: Mode = "graph" if court.device.records else "host"
    if slower_ms is None:
        slower_ms, mode = _rehearsed_ms(both, trial, mode)
    while True:
        plan, warming = _warmed(both, trial, _length(both, trial, slower_ms, mode), mode)
        slower_ms = max(blocks.most_ms for blocks in warming)
        too_long_ms = TOO_LONG * _block_ms(trial.policy, plan.mode)
        if len(plan.long) == MIN_LONG or slower_ms * len(plan.long) <= too_long_ms:
            return plan
        mode = plan.mode


def _warmed(both: Sequence[Side], trial: Trial, long: int, mode: Mode) -> tuple[Plan, list[Blocks]]:
    """Blocks of this length made ready, and run once."""
    plan = _bound(both, trial, long, mode)
    # No figure comes of it, so nothing is compared either.
    return plan, turn(both, plan, None, trial.policy.call_limit_s)


def _longer(
    both: Sequence[Side], trial: Trial, plan: Plan, times: Sequence[Sequence[Blocks]]
) -> int | None:
    """How long the long block must be after all, where it was far too short when it counted.

    A candidate may dawdle while blocks are sized. In a block of a few calls fixed costs and noise
    are most of the time, and no bound is looked at. Each length is many times the one before.
    """
    slower_ms = max(_rough_ms(blocks) for blocks in times)
    length = _length(both, trial, slower_ms, plan.mode)
    return length if len(plan.long) < ENOUGH * length else None


def _length(both: Sequence[Side], trial: Trial, slower_ms: float, mode: Mode) -> int:
    """Calls of the long block: about as many as take `block_ms`, never more than fit."""
    wanted = round(_block_ms(trial.policy, mode) / max(slower_ms, MIN_LATENCY_MS))
    return max(MIN_LONG, min(wanted, _most(both, trial) * 4 // 5))


def _most(both: Sequence[Side], trial: Trial) -> int:
    """Slots that both blocks may take together."""
    room = min(side.room(trial.layout) for side in both)
    # A handicap needs slots of its own.
    room = int(room / (1 + max(side.handicap for side in both)))
    # A quarter of the long block is the short one.
    return max(MIN_LONG + 2, min(trial.policy.max_slots * 5 // 4, room))


def _block_ms(policy: Policy, mode: Mode) -> float:
    return policy.block_ms if mode == "graph" else policy.host_block_ms


def _rehearsed_ms(both: Sequence[Side], trial: Trial, mode: Mode) -> tuple[float, Mode]:
    """What a call of the slower side takes, about, and how its blocks can be run."""
    most = _most(both, trial)
    count = min(most, CALIBRATION_SLOTS)
    while True:
        rough = _bound(both, trial, count * 4 // 5, mode)
        turns = [turn(both, rough, None, trial.policy.call_limit_s) for _ in range(3)]
        # The slower side decides, since both sides' blocks have the same length. The first turn
        # warms caches up.
        slower_ms = max(_rough_ms(blocks) for blocks in zip(*turns[1:], strict=True))
        mode = rough.mode
        # A few short calls take no longer than "go" and "done" do: more of them tell more.
        block_ms = _block_ms(trial.policy, mode)
        if count == most or slower_ms * len(rough.long) > block_ms * ENOUGH:
            return slower_ms, mode
        count = min(most, count * CALIBRATION_GROWTH)


def _rough_ms(blocks: Sequence[Blocks]) -> float:
    """A latency good enough to size blocks by, even where some blocks were disturbed."""
    # A disturbance only makes a block longer, so the least of them bounds a call from above.
    most_ms = min(b.most_ms for b in blocks)
    slopes_ms = [b.slope_ms for b in blocks if b.slope_ms is not None]
    return min(most_ms, max(median(slopes_ms), most_ms / 10))


def _bound(both: Sequence[Side], trial: Trial, long: int, mode: Mode) -> Plan:
    """Give every side the slots, make the first, checked calls, and have its blocks made ready."""
    plan = Plan.of(long, mode, max(side.handicap for side in both))
    # Drawn anew, but once for all sides: where tensors lie makes some calls faster than others.
    layout = Layout.of(trial.problem.definition, trial.layout.workload)
    given = (layout, len(plan.slots), trial.reference, trial.problem)
    limit_s = trial.policy.call_limit_s
    asks = []
    for side in both:
        try:
            asks.append(side.lay(*given, limit_s, trial.seed))
        except RunnerFailed as failed:
            raise SideFailed(side, failed) from failed
    ask_each(both, asks, limit_s)
    if all(side.may_compile for side in both):
        _compile_at_once(both, trial)
    for side in both:
        _call_first(side, trial)
    return _captured(both, plan, trial.policy)


def _compile_at_once(both: Sequence[Side], trial: Trial) -> None:
    """One call of every side at the same time, unchecked: compiling there takes long."""
    first, *others = both
    first.slots.refresh([0], fresh_seed(), others=[other.slots for other in others])
    for side in both:
        try:
            side.preparation.catch_up(0, trial.policy.first_call_limit_s)
        except RunnerFailed as failed:
            raise SideFailed(side, failed) from failed
        side.settle()
    ask_each(both, [CallAsk(slot=0)] * len(both), trial.policy.first_call_limit_s)


def _call_first(side: Side, trial: Trial) -> None:
    """The first, uncaptured and checked calls, in which a language may compile."""
    side.comparisons = []
    try:
        for slot in range(2):
            side.plain_call(slot, trial.reference, trial.policy, InputClass.LISTED)
    except (RunnerFailed, WrongOutput) as failure:
        raise SideFailed(side, failure) from failure


def _captured(both: Sequence[Side], plan: Plan, policy: Policy) -> Plan:
    """Capture on all sides in one mode: where one cannot be recorded, none is.

    Raises:
        SideFailed: a plain loop over the slots failed as well.
    """
    if plan.mode == "graph":
        try:
            capture(both, plan, policy.call_limit_s)
        except SideFailed as failed:
            if failed.side.runner.ended is not None:
                raise
        else:
            return plan
    plan = replace(plan, mode="host")
    capture(both, plan, policy.call_limit_s)
    return plan
