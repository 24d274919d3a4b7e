"""Time a candidate against a champion: fresh processes, in turn, which is which swapped.

    per process pair: load both -> per workload: plain call, size the blocks, capture, A B B A …

The numbers are recorded as they are; what they mean is the gate's business. Start at `duel`.
Not here: one block (`clock`), the checks (`sides`).
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median

from guard.domain.decision import Policy
from guard.domain.errors import DeviceUnhealthy
from guard.domain.problem import Problem, Workload
from guard.domain.solution import Solution
from guard.domain.trace import Duel, Judgement, ProcessPair, WorkloadTiming
from guard.referee.clock import Blocks, Mode, Plan, capture, latencies_ms, turn
from guard.referee.court import Court
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.referee.slots import Layout
from guard.referee.verification import evaluation_of
from guard.wire import DuelOrder

CALIBRATION_CALLS = 8
MIN_LONG = 4
MIN_LATENCY_MS = 1e-4
"""Nothing is faster than this: an empty kernel takes ten times longer."""


class WorkloadFailed(Exception):
    """The candidate failed while being timed on a workload."""

    def __init__(self, judgement: Judgement) -> None:
        super().__init__(judgement.workload)
        self.judgement = judgement


def duel(court: Court, order: DuelOrder) -> Duel:
    """Carry out the ordered number of process pairs.

    Raises:
        OrderCancelled, DeviceUnhealthy: the champion itself failed.
    """
    reference = Reference(order.problem.definition)
    pairs: list[ProcessPair] = []
    failures: tuple[Judgement, ...] = ()
    for number in range(order.pairs):
        swapped = (order.first_pair + number) % 2 == 1
        try:
            pairs.append(_pair(court, order, reference, swapped=swapped, number=number))
        except WorkloadFailed as failed:
            failures = (failed.judgement,)
            break
    return Duel(
        champion=order.champion.digest,
        candidate=order.candidate.digest,
        pairs=tuple(pairs),
        failures=failures,
    )


def _pair(
    court: Court, order: DuelOrder, reference: Reference, *, swapped: bool, number: int
) -> ProcessPair:
    first, second = order.champion, order.candidate
    if swapped:
        first, second = second, first
    workloads = order.problem.workloads_for(court.identity.kind)
    timings = []
    with sides(court, (first, second), order.problem, order.policy, order.candidate) as both:
        for index, workload in enumerate(workloads):
            court.step(
                number * len(workloads) + index,
                order.pairs * len(workloads),
                f"timing workload {index + 1} of {len(workloads)}, "
                f"process pair {order.first_pair + number + 1}",
            )
            timings.append(_workload(court, order, both, workload, reference, swapped=swapped))
        for side in both:
            court.keep_warm(side.solution, side.runner, order.policy)
    return ProcessPair(swapped=swapped, workloads=tuple(timings))


def _workload(
    court: Court,
    order: DuelOrder,
    both: Sequence[Side],
    workload: Workload,
    reference: Reference,
    *,
    swapped: bool,
) -> WorkloadTiming:
    try:
        plan, times = time_workload(court, both, order.problem, workload, reference, order.policy)
    except SideFailed as failed:
        court.check_cancelled()
        index = both.index(failed.side)
        if (index == 0) is not swapped:
            message = f"the champion failed its own check: {failed.cause}"
            raise DeviceUnhealthy(court.identity.name, message) from failed
        judged = evaluation_of(court, failed.cause, failed.side.runner)
        raise WorkloadFailed(Judgement(workload=workload.uuid, evaluation=judged)) from failed
    champion, candidate = (times[1], times[0]) if swapped else (times[0], times[1])
    return WorkloadTiming(
        workload=workload.uuid,
        champion_ms=latencies_ms(champion, champion, plan.mode),
        candidate_ms=latencies_ms(candidate, champion, plan.mode),
        calls=len(plan.long),
        mode=plan.mode,
    )


@contextmanager
def sides(
    court: Court,
    solutions: Sequence[Solution],
    problem: Problem,
    policy: Policy,
    candidate: Solution | None = None,
) -> Iterator[list[Side]]:
    """Fresh runners with these solutions loaded, each with an arena for the largest workload.

    Raises:
        WorkloadFailed: the candidate could not be loaded; for others DeviceUnhealthy.
    """
    size = _arena_bytes(court, problem, policy, len(solutions))
    with ExitStack() as stack:
        loaded = []
        for solution in solutions:
            runner = stack.enter_context(court.runner(policy))
            arena = court.device.allocate(court.identity, size)
            stack.callback(arena.close)
            side = Side(court.device, solution, runner, arena)
            try:
                court.load(solution, policy, runner)
                side.attach(policy.call_limit_s)
            except RunnerFailed as failed:
                court.check_cancelled()
                if solution is not candidate:
                    message = f"the champion could not be loaded: {failed}"
                    raise DeviceUnhealthy(court.identity.name, message) from failed
                uuid = problem.workloads_for(court.identity.kind)[0].uuid
                judged = evaluation_of(court, failed, runner)
                raise WorkloadFailed(Judgement(workload=uuid, evaluation=judged)) from failed
            runner.freeze()
            loaded.append(side)
        yield loaded


def time_workload(
    court: Court,
    both: Sequence[Side],
    problem: Problem,
    workload: Workload,
    reference: Reference,
    policy: Policy,
) -> tuple[Plan, list[list[Blocks]]]:
    """Time a workload on these sides; per side, one pair of blocks per half turn.

    Raises:
        SideFailed: what one side did instead.
    """
    layout = Layout.of(problem.definition, workload)
    most = min(side.room(layout) for side in both)
    for side in both:
        _prepare(side, layout, min(most, CALIBRATION_CALLS + 2), reference, problem, policy)
    plan = _plan(both, reference, most, policy, "graph" if court.device.records else "host")
    for side in both:
        _bind(side, layout, len(plan.slots), reference, problem, policy)
    plan = _captured(both, plan, policy)
    order = list(range(len(both)))
    times: list[list[Blocks]] = [[] for _ in both]
    # The first turn warms caches and mappings up; its times are not used, its outputs checked.
    for number in range(1 + 2 * policy.turns):
        measured = turn([both[i] for i in order], plan, reference, policy.call_limit_s)
        for i, blocks in zip(order, measured, strict=True):
            if number:
                times[i].append(blocks)
        order.reverse()
    return plan, times


def _prepare(
    side: Side,
    layout: Layout,
    count: int,
    reference: Reference,
    problem: Problem,
    policy: Policy,
) -> None:
    """Bind a few slots and make the first, uncaptured and checked call."""
    _bind(side, layout, count, reference, problem, policy)
    side.comparisons = []
    try:
        side.plain_call(0, reference, policy, InputClass.LISTED)
        side.plain_call(1, reference, policy, InputClass.LISTED)
    except (RunnerFailed, WrongOutput) as failure:
        raise SideFailed(side, failure) from failure


def _bind(
    side: Side,
    layout: Layout,
    count: int,
    reference: Reference,
    problem: Problem,
    policy: Policy,
) -> None:
    try:
        side.bind(layout, count, reference, problem, policy.call_limit_s)
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed


def _plan(
    both: Sequence[Side], reference: Reference, most: int, policy: Policy, mode: Mode
) -> Plan:
    """Choose the block length from a short measurement: about `block_ms`, never more than fits."""
    rough = _captured(both, Plan.of(min(most, CALIBRATION_CALLS + 2) * 4 // 5, mode), policy)
    turn(both, rough, reference, policy.call_limit_s)
    turns = [turn(both, rough, reference, policy.call_limit_s) for _ in range(2)]
    # The slower side decides, since both sides' blocks have the same length.
    slower_ms = max(_rough_ms(blocks) for blocks in zip(*turns, strict=True))
    block_ms = policy.block_ms if rough.mode == "graph" else policy.host_block_ms
    wanted = round(block_ms / max(slower_ms, MIN_LATENCY_MS))
    # A quarter of the long block is the short one.
    return Plan.of(max(MIN_LONG, min(wanted, policy.max_slots, most * 4 // 5)), rough.mode)


def _rough_ms(blocks: Sequence[Blocks]) -> float:
    """A latency good enough to size blocks by, even where a slope was disturbed."""
    most_ms = median(b.most_ms for b in blocks)
    return max(median(b.latency_ms for b in blocks), most_ms / 10)


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


def _arena_bytes(court: Court, problem: Problem, policy: Policy, count: int) -> int:
    largest = max(
        Layout.of(problem.definition, workload).slot_bytes
        for workload in problem.workloads_for(court.identity.kind)
    )
    free = min(policy.slot_bytes, court.device.free_bytes(court.identity) // count)
    slots = max(MIN_LONG + 2, min(policy.max_slots * 5 // 4, free // largest))
    return largest * slots
