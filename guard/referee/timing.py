"""Time one workload on loaded sides: how long the blocks are, and the turns.

    plain calls -> size the blocks -> capture -> A B B A … -> audit blocks

Start at `time_workload`. Not here: fresh processes and their pairs (`duel`), one block (`clock`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from guard.domain.decision import Policy
from guard.domain.problem import Problem, Workload
from guard.referee.audit import audit
from guard.referee.blocks import Blocks, Mode, Plan
from guard.referee.clock import capture, turn
from guard.referee.court import Court, fresh_seed
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.referee.slots import Layout

CALIBRATION_SLOTS = 10
CALIBRATION_GROWTH = 8
ENOUGH = 0.25
"""Share of a block's length from which its calls stand out well enough to size blocks by.

Below it the fixed costs of a fresh process, which differ by 0.3 ms, may pass for slow calls."""
MIN_LONG = 4
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


def time_workload(
    court: Court,
    both: Sequence[Side],
    problem: Problem,
    workload: Workload,
    reference: Reference,
    policy: Policy,
    *,
    audited: bool = False,
) -> Times:
    """Time a workload on these sides; `audited`: then audit both, of which there must be two.

    Raises:
        SideFailed: what one side did instead.
    """
    layout = Layout.of(problem.definition, workload)
    trial = Trial(layout, reference, problem, policy, fresh_seed())
    for side in both:
        _prepare(side, trial)
    plan = _plan(both, trial, "graph" if court.device.records else "host")
    plan = _bound(both, trial, plan)
    order = list(range(len(both)))
    times: list[list[Blocks]] = [[] for _ in both]
    # The first turn warms caches and mappings up; its times are not used, its outputs checked.
    for number in range(1 + 2 * policy.turns):
        measured = turn([both[i] for i in order], plan, reference, policy.call_limit_s)
        for i, blocks in zip(order, measured, strict=True):
            if number:
                times[i].append(blocks)
        order.reverse()
    audits: list[list[Blocks]] = [[] for _ in both]
    if audited:
        slower_ms = max(_rough_ms(blocks) for blocks in times)
        audits = audit(court, both, plan, slower_ms, reference, policy)
    return Times(plan, times, audits)


def _prepare(side: Side, trial: Trial) -> None:
    """Bind a few slots and make the first, uncaptured and checked calls."""
    _bind(side, trial, trial.layout, CALIBRATION_SLOTS)
    side.comparisons = []
    try:
        for slot in range(2):
            side.plain_call(slot, trial.reference, trial.policy, InputClass.LISTED)
    except (RunnerFailed, WrongOutput) as failure:
        raise SideFailed(side, failure) from failure


def _bind(side: Side, trial: Trial, layout: Layout, count: int) -> None:
    try:
        side.bind(
            layout,
            min(count, side.room(layout)),
            trial.reference,
            trial.problem,
            trial.policy.call_limit_s,
            trial.seed,
        )
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed


def _plan(both: Sequence[Side], trial: Trial, mode: Mode) -> Plan:
    """Choose the block length from short measurements: about `block_ms`, never more than fits."""
    policy = trial.policy
    room = min(side.room(trial.layout) for side in both)
    most = max(MIN_LONG + 2, min(policy.max_slots * 5 // 4, room))
    count = min(most, CALIBRATION_SLOTS)
    while True:
        rough = _bound(both, trial, Plan.of(count * 4 // 5, mode))
        turns = [turn(both, rough, None, policy.call_limit_s) for _ in range(3)]
        # The slower side decides, since both sides' blocks have the same length. The first turn
        # warms caches up.
        slower_ms = max(_rough_ms(blocks) for blocks in zip(*turns[1:], strict=True))
        block_ms = policy.block_ms if rough.mode == "graph" else policy.host_block_ms
        # A few short calls take no longer than "go" and "done" do: more of them tell more.
        if count == most or slower_ms * len(rough.long) > block_ms * ENOUGH:
            break
        count = min(most, count * CALIBRATION_GROWTH)
    wanted = round(block_ms / max(slower_ms, MIN_LATENCY_MS))
    # A quarter of the long block is the short one.
    return Plan.of(max(MIN_LONG, min(wanted, most * 4 // 5)), rough.mode)


def _rough_ms(blocks: Sequence[Blocks]) -> float:
    """A latency good enough to size blocks by, even where some blocks were disturbed."""
    # A disturbance only makes a block longer, so the least of them bounds a call from above.
    most_ms = min(b.most_ms for b in blocks)
    return min(most_ms, max(median(b.latency_ms for b in blocks), most_ms / 10))


def _bound(both: Sequence[Side], trial: Trial, plan: Plan) -> Plan:
    """Give every side the plan's slots and have its blocks made ready."""
    # Drawn anew, but once for all sides: where tensors lie makes some calls faster than others.
    layout = Layout.of(trial.problem.definition, trial.layout.workload)
    for side in both:
        _bind(side, trial, layout, len(plan.slots))
    return _captured(both, plan, trial.policy)


def _captured(both: Sequence[Side], plan: Plan, policy: Policy) -> Plan:
    """Capture on all sides in one mode: where one cannot be recorded, none is.

    Raises:
        SideFailed: a plain loop over the slots failed as well.
    """
    if plan.mode == "graph":
        try:
            for side in both:
                capture(side, plan, policy.call_limit_s)
            return plan
        except SideFailed as failed:
            if failed.side.runner.ended is not None:
                raise
    plan = Plan(plan.short, plan.long, "host")
    for side in both:
        capture(side, plan, policy.call_limit_s)
    return plan
