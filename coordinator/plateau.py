"""When a claim no longer gets anywhere: counted from its benchmarks, never stored.

Pure functions over the benchmarks of one claim in the order they were decided, so the counter
comes out the same after a restart. Only benchmarked candidates count: what does not compile or
is wrong costs no turn, and neither does a failure of the house, which leaves no benchmark.

    benchmarks of a claim -> stalled -> drafting?

Start at `stalled`. Not here: what counts as progress (`guard.gate.is_progress`, recorded with each
benchmark), what follows (`claims.settle`).
"""

from collections.abc import Sequence

from guard.domain.decision import Policy
from memory.records import Benchmark


def stalled(benchmarks: Sequence[Benchmark]) -> int:
    """How many benchmarked candidates in a row, the newest last, brought no progress."""
    count = 0
    for benchmark in reversed(benchmarks):
        if benchmark.progress:
            break
        count += 1
    return count


def in_drafting(stalled: int, policy: Policy) -> bool:
    """Whether so long a row means that the claim must try something entirely different."""
    return stalled >= policy.plateau_after


def own_best(benchmarks: Sequence[Benchmark]) -> float | None:
    """The claim's best believed speedup over the baseline; None when nothing was timed yet.

    Rejected and suspect candidates set no mark: an honest one could never beat a false time.
    """
    believed = (
        benchmark.speedup.estimate
        for benchmark in benchmarks
        if benchmark.decision.verdict.believed and benchmark.decision.over_champion is not None
    )
    return max(believed, default=None)
