"""Time a candidate against a champion: fresh processes, in turn, which is which swapped.

    per process pair: load both -> per workload: time it on both sides (`timing`)

The numbers are recorded as they are; what they mean is the gate's business. Start at `duel`.
Not here: one workload (`timing`), one block (`clock`), the checks (`sides`).
"""

import math
import secrets
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from statistics import fmean, median

from guard.benchmark import turns, usable
from guard.domain.decision import Policy
from guard.domain.errors import DeviceUnhealthy
from guard.domain.problem import Problem, Workload
from guard.domain.solution import Solution
from guard.domain.trace import Duel, Judgement, ProcessPair, WorkloadTiming
from guard.promotion import is_screened_out
from guard.referee import strangers
from guard.referee.blocks import conditions_of, latencies_ms
from guard.referee.constants import needed_bytes, room
from guard.referee.court import Court
from guard.referee.reference import Reference, load_reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed
from guard.referee.slots import Layout
from guard.referee.timing import MIN_LONG, time_workload
from guard.referee.verification import evaluation_of
from guard.steadiness import counting
from guard.wire import DuelOrder


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
    reference = load_reference(order.problem.definition)
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
    # By lot, so that no process knows what is timed of it before a hopeless candidate is given up.
    places = secrets.SystemRandom().sample(range(len(workloads)), len(workloads))
    is_first = order.first_pair + number == 0
    timings: dict[int, WorkloadTiming] = {}
    # Who stayed through the first wait will stay: one wait a duel.
    patience_s = order.policy.stranger_wait_s if is_first else 0.0
    before = strangers.wait(court, patience_s)
    with sides(court, (first, second), order.problem, order.policy, order.candidate) as both:
        champion, candidate = reversed(both) if swapped else both
        champion.handicap = max(0.0, -order.handicap)
        candidate.handicap = max(0.0, order.handicap)
        for done, place in enumerate(places):
            court.step(
                number * len(workloads) + done,
                order.pairs * len(workloads),
                f"timing workload {done + 1} of {len(workloads)}, "
                f"process pair {order.first_pair + number + 1}{_so_far(timings.values())}",
            )
            # Over `min_pairs` pairs every workload is audited once. No process knows its number.
            audited = (order.first_pair + number + place) % order.policy.min_pairs == 0
            timed = partial(_workload, court, order, both, workloads[place], reference)
            timings[place] = timed(swapped=swapped, audited=audited, warm=is_first and order.warms)
            counts = [counting(timing, order.policy) for timing in timings.values()]
            if order.screens and is_first and is_screened_out(counts, order.policy):
                break
        seen = strangers.most(before, strangers.count(court))
        for side in both:
            court.keep_warm(side.solution, side.runner, order.policy)
    workloads_timed = tuple(timings[place] for place in sorted(timings))
    return ProcessPair(swapped=swapped, workloads=workloads_timed, strangers=seen)


def _so_far(timings: Iterable[WorkloadTiming]) -> str:
    """What a pair's timings say already, for whoever waits; nothing is decided on it."""
    found = [median(turns(timing)) for timing in timings if usable(timing)]
    return f": {math.exp(fmean(found)):.2f} times the champion so far" if found else ""


def _workload(
    court: Court,
    order: DuelOrder,
    both: Sequence[Side],
    workload: Workload,
    reference: Reference,
    *,
    swapped: bool,
    audited: bool,
    warm: bool,
) -> WorkloadTiming:
    given = (order.problem, workload, reference, order.policy)
    try:
        times = time_workload(court, both, *given, audited=audited, warm=warm)
    except SideFailed as failed:
        court.check_cancelled()
        index = both.index(failed.side)
        if (index == 0) is not swapped:
            message = f"the champion failed its own check: {failed.cause}"
            raise DeviceUnhealthy(court.identity.name, message) from failed
        judged = evaluation_of(court, failed.cause, failed.side.runner)
        raise WorkloadFailed(Judgement(workload=workload.uuid, evaluation=judged)) from failed
    step = -1 if swapped else 1
    champion, candidate = times.plain[::step]
    champion_audit, candidate_audit = times.audits[::step]
    champion_warm, candidate_warm = times.warm[::step]
    overlaps = court.device.records
    return WorkloadTiming(
        workload=workload.uuid,
        champion_ms=latencies_ms(champion, champion),
        candidate_ms=latencies_ms(candidate, champion, overlaps=overlaps),
        champion_conditions=conditions_of(champion),
        candidate_conditions=conditions_of(candidate),
        champion_audit_ms=latencies_ms(champion_audit, champion_audit),
        candidate_audit_ms=latencies_ms(candidate_audit, champion_audit, overlaps=overlaps),
        candidate_warm_ms=_told_ms(latencies_ms(candidate_warm, champion_warm, overlaps=overlaps)),
        candidate_prepare_ms=both[0 if swapped else 1].preparation.took_ms,
        calls=len(times.plan.long),
        mode=times.plan.mode,
    )


def _told_ms(latencies_ms: Sequence[float]) -> float | None:
    """The median of what was measured, if anything was, and the clock was not disturbed."""
    middle_ms = median(latencies_ms) if latencies_ms else 0.0
    return middle_ms if middle_ms > 0 else None


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
            runner = stack.enter_context(court.runner(policy, size))
            arena = court.device.allocate(court.identity, size)
            stack.callback(arena.close)
            loaded.append(Side(court.device, solution, runner, arena))
        with ThreadPoolExecutor(len(loaded)) as pool:
            failures = list(pool.map(partial(_load, court, policy=policy), loaded))
        for side, failed in zip(loaded, failures, strict=True):
            if failed is None:
                continue
            court.check_cancelled()
            if side.solution is not candidate:
                message = f"the champion could not be loaded: {failed}"
                raise DeviceUnhealthy(court.identity.name, message) from failed
            uuid = problem.workloads_for(court.identity.kind)[0].uuid
            judged = evaluation_of(court, failed, side.runner)
            raise WorkloadFailed(Judgement(workload=uuid, evaluation=judged)) from failed
        # All end at once, before each is waited for.
        stack.callback(_kill, loaded)
        yield loaded


def _kill(both: Sequence[Side]) -> None:
    for side in both:
        side.runner.kill()


def _load(court: Court, side: Side, policy: Policy) -> RunnerFailed | None:
    """Load one side and have it stand still: what it may measure of itself is not disturbed.

    In a thread of its own, beside the other side; how the runner failed, if it did.
    """
    try:
        court.load(side.solution, policy, side.runner)
        side.attach(policy.call_limit_s)
        side.runner.freeze()
    except RunnerFailed as failed:
        return failed
    return None


def _arena_bytes(court: Court, problem: Problem, policy: Policy, count: int) -> int:
    kind = court.identity.kind
    free = min(policy.slot_bytes, court.device.free_bytes(court.identity) // count)

    def needed(layout: Layout) -> int:
        slots = min(policy.max_slots * 5 // 4, room(layout, free, kind))
        return needed_bytes(layout, max(MIN_LONG + 2, slots), kind)

    workloads = problem.workloads_for(kind)
    return max(needed(Layout.of(problem.definition, workload)) for workload in workloads)
