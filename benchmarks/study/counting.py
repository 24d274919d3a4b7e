"""What a board counts of a campaign, counted from lists: what an assignment rests on.

    claims, how many each handed in, their benchmarks -> StrategyRecord, counts
    designs × strategy -> Adherence

`memory.efforts` has the database count the same; a test plays runs on both and compares. Start at
`efforts`. Not here: what follows from it (`coordinator.situations`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.study.evaluator import Evaluator
from benchmarks.study.referee import DEVICE
from benchmarks.study.space import Design
from coordinator import adherence
from coordinator.catalogue import Catalogue
from guard.domain.adherence import Adherence
from memory.efforts import StrategyRecord
from memory.records import Benchmark, Claim, ClaimState


class Worked(NamedTuple):
    """A claim, and what came of it."""

    claim: Claim
    handed_in: int
    benchmarks: Sequence[Benchmark]


def worked(
    claims: Iterable[Claim],
    handed_in: Mapping[str, int],
    benchmarks: Mapping[str, Sequence[Benchmark]],
) -> list[Worked]:
    """Each claim with its own."""
    return [Worked(c, handed_in.get(c.id, 0), benchmarks.get(c.id, ())) for c in claims]


def efforts(record: Iterable[Worked]) -> tuple[StrategyRecord, ...]:
    """The record of every strategy, in the order of their first claims."""
    by_strategy: dict[str, list[Worked]] = {}
    for one in record:
        by_strategy.setdefault(one.claim.strategy, []).append(one)
    return tuple(_effort(strategy, those) for strategy, those in by_strategy.items())


def counts(those: Sequence[Worked]) -> tuple[int, int]:
    """What was handed in and benchmarked under these claims."""
    return sum(one.handed_in for one in those), sum(len(one.benchmarks) for one in those)


def followed(
    evaluator: Evaluator, catalogue: Catalogue, strategy: str, designs: Iterable[Design]
) -> list[Adherence | None]:
    """Whether these designs follow a strategy, as the pipeline judges it."""
    return [
        adherence.judge(
            catalogue,
            strategy,
            adherence.see(evaluator.solution(design), evaluator.verification(design).compiled),
            evaluator.problem.definition,
            DEVICE.kind,
        )
        for design in designs
    ]


def _effort(strategy: str, those: Sequence[Worked]) -> StrategyRecord:
    believed = [b for one in those for b in one.benchmarks if b.decision.verdict.believed]
    # Of equal ones the first decided, as submissions of one run are numbered in that order.
    best = max(believed, key=lambda b: (b.speedup.estimate, -b.submission_id), default=None)
    handed_in, benchmarked = counts(those)
    return StrategyRecord(
        strategy=strategy,
        lane=those[0].claim.lane,
        claims=len(those),
        exhausted=sum(one.claim.state is ClaimState.EXHAUSTED for one in those),
        handed_in=handed_in,
        benchmarked=benchmarked,
        best_id=best.submission_id if best is not None else 0,
        speedup=best.speedup.estimate if best is not None else 0.0,
        low=best.speedup.low if best is not None else 0.0,
    )
