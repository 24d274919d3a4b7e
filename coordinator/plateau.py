"""When a claim no longer gets anywhere, and what follows: counted from benchmarks, never stored.

Pure functions over the benchmarks of one claim in the order they were decided, so that the same
stage comes out after a restart. Only benchmarked candidates count: what does not compile, is wrong
or is refused costs no turn, and neither does a failure of the house, which leaves no benchmark.

    benchmarks of a claim × headroom -> Standing

    going on ─3─> nudge ─5─> drafting ─8─> another lane         (near the bound: at its ceiling)

Start at `standing`. Not here: what counts as progress (`guard.gate.is_progress`, recorded with each
benchmark), what drafting demands (`drafting`), who changes lanes (`claims`).
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from guard.bound import fraction
from guard.domain.bound import Bound
from guard.domain.decision import Policy, Verdict
from guard.domain.value import Value
from memory.records import Benchmark


class Stage(StrEnum):
    """How far down the ladder a claim is."""

    GOING_ON = "going on"
    NUDGE = "nudge"
    DRAFTING = "drafting"
    ANOTHER_LANE = "another lane"
    CEILING = "at its ceiling"


class Standing(Value):
    """Where a claim stands."""

    stalled: int
    """Benchmarked candidates in a row without progress."""
    excused: int
    """Of these, what does not count: after a promotion, or while they get faster."""
    stage: Stage

    @property
    def counted(self) -> int:
        """What the ladder goes by."""
        return self.stalled - self.excused


def standing(
    benchmarks: Sequence[Benchmark], policy: Policy, reached: float | None = None
) -> Standing:
    """Where a claim stands; `reached`: how much of the bound the champion reaches, if known."""
    row = stalled(benchmarks)
    excused = min(row, _cooldown(benchmarks, row, policy) + _trend(benchmarks[-row:], row, policy))
    near = reached is not None and reached >= policy.ceiling_fraction
    return Standing(stalled=row, excused=excused, stage=_stage(row - excused, policy, near))


def stalled(benchmarks: Sequence[Benchmark]) -> int:
    """How many benchmarked candidates in a row, the newest last, brought no progress."""
    count = 0
    for benchmark in reversed(benchmarks):
        if benchmark.progress:
            break
        count += 1
    return count


def own_best(benchmarks: Sequence[Benchmark]) -> float | None:
    """The claim's best believed speedup over the baseline; None when nothing was timed yet.

    Rejected and suspect candidates set no mark: an honest one could never beat a false time.
    """
    believed = (speed for speed in map(_speed, benchmarks) if speed is not None)
    return max(believed, default=None)


def bound_fraction(latencies_ms: Mapping[str, float], bounds: Mapping[str, Bound]) -> float | None:
    """How much of the bound these latencies reach, over the workloads that have both."""
    logs = [
        math.log(fraction(bounds[uuid].bound_ms, latency_ms))
        for uuid, latency_ms in latencies_ms.items()
        if uuid in bounds
    ]
    return math.exp(sum(logs) / len(logs)) if logs else None


def _stage(counted: int, policy: Policy, near: bool) -> Stage:
    if counted >= policy.lane_after:
        return Stage.ANOTHER_LANE
    if near and counted >= policy.nudge_after:
        return Stage.CEILING
    if counted >= policy.drafting_after:
        return Stage.DRAFTING
    return Stage.NUDGE if counted >= policy.nudge_after else Stage.GOING_ON


def _cooldown(benchmarks: Sequence[Benchmark], row: int, policy: Policy) -> int:
    # A champion is hard to beat at once, and its holder has shown that it gets somewhere.
    before = benchmarks[len(benchmarks) - row - 1 : len(benchmarks) - row]
    return policy.cooldown if before and before[0].decision.verdict is Verdict.PROMOTED else 0


def _trend(row: Sequence[Benchmark], length: int, policy: Policy) -> int:
    """What does not count while each candidate gets closer to the best than the one before it."""
    speeds = [_speed(benchmark) for benchmark in row] if length else []
    steps = 0
    for earlier, later in zip(speeds[-2::-1], speeds[:0:-1], strict=True):
        if earlier is None or later is None or later < earlier * (1 + policy.own_gain):
            break
        steps += 1
    # One step may be chance, two are a direction.
    return min(steps, policy.trend_credit) if steps > 1 else 0


def _speed(benchmark: Benchmark) -> float | None:
    believed = benchmark.decision.verdict.believed and benchmark.decision.over_champion is not None
    return benchmark.speedup.estimate if believed else None
