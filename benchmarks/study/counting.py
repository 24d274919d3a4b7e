"""What a board counts of a campaign, counted from lists: what an assignment rests on.

    claims, what was handed in under each -> StrategyRecord, Counts
    one agent's claims -> Left

`memory.efforts` has the database count the same; a test plays runs on both and compares. Start at
`efforts`. Not here: what follows from it (`coordinator.situations`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.study.evaluator import Evaluator
from benchmarks.study.referee import DEVICE
from benchmarks.study.space import Design
from coordinator import adherence
from coordinator.catalogue import Catalogue
from coordinator.situation import Left
from coordinator.situations import left_of
from guard.domain.adherence import Adherence
from guard.domain.decision import Policy, Verdict
from memory.efforts import StrategyRecord
from memory.records import Benchmark, Claim, ClaimState
from memory.tallies import Best, Counts, Tried


class Timed(NamedTuple):
    """A candidate that was benchmarked."""

    design: Design
    benchmark: Benchmark
    over_parents: float


class Worked(NamedTuple):
    """A claim, and what came of it."""

    claim: Claim
    handed_in: int
    measured: int
    """Of these, benchmarked here or before."""
    timed: Sequence[Timed]


class Adherences:
    """Whether designs follow strategies, as the pipeline judges it; each is judged once."""

    def __init__(self, evaluator: Evaluator, catalogue: Catalogue) -> None:
        self._evaluator = evaluator
        self.catalogue = catalogue
        self._found: dict[tuple[str, Design], Adherence | None] = {}

    def of(self, strategy: str, design: Design) -> Adherence | None:
        """What the evidence says."""
        asked = (strategy, design)
        if asked not in self._found:
            compiled = self._evaluator.verification(design).compiled
            seen = adherence.see(self._evaluator.solution(design), compiled)
            definition = self._evaluator.problem.definition
            found = adherence.judge(self.catalogue, strategy, seen, definition, DEVICE.kind)
            self._found[asked] = found
        return self._found[asked]


def efforts(record: Iterable[Worked], adherences: Adherences) -> tuple[StrategyRecord, ...]:
    """The record of every strategy, in the order of their first claims."""
    by_strategy: dict[str, list[Worked]] = {}
    for one in record:
        by_strategy.setdefault(one.claim.strategy, []).append(one)
    return tuple(_effort(those, adherences) for those in by_strategy.values())


def left(mine: Sequence[Worked], adherences: Adherences, policy: Policy) -> Left | None:
    """What the agent left whose claims these are."""
    if not mine:
        return None
    last = mine[-1].claim
    own = [one for one in mine if one.claim.strategy == last.strategy]
    asked = [adherences.of(last.strategy, t.design) for one in own for t in one.timed]
    return left_of(last, _counts(own), asked, policy)


def parents_speedup(parents: Iterable[Benchmark | None]) -> float:
    """The best of them over the baseline; 1 where that is the baseline itself."""
    believed = (b.speedup.estimate for b in parents if b and b.decision.verdict.believed)
    return max(1.0, *believed, 1.0)


def _effort(those: Sequence[Worked], adherences: Adherences) -> StrategyRecord:
    first = those[0].claim
    timed = [found for one in those for found in one.timed]
    marks = list(_marks(first.strategy, timed, adherences))
    return StrategyRecord(
        strategy=first.strategy,
        lane=first.lane,
        claims=len(those),
        exhausted=sum(one.claim.state is ClaimState.EXHAUSTED for one in those),
        tried=Tried(
            counts=_counts(those),
            # Of equal ones the first decided, as submissions are numbered in that order.
            best=max(marks, key=lambda one: (one.speedup, -one.submission_id), default=None),
            win=max(marks, key=lambda one: (one.over_parents, -one.submission_id), default=None),
            gains=tuple(_gains(one.benchmark for one in timed)),
        ),
    )


def _marks(strategy: str, timed: Sequence[Timed], adherences: Adherences) -> Iterator[Best]:
    for one in timed:
        if one.benchmark.decision.verdict.believed:
            followed = adherences.of(strategy, one.design)
            yield Best(
                submission_id=one.benchmark.submission_id,
                speedup=one.benchmark.speedup.estimate,
                low=one.benchmark.speedup.low,
                over_parents=one.over_parents,
                follows=followed.follows if followed is not None else (),
            )


def _gains(benchmarks: Iterable[Benchmark]) -> Iterator[float]:
    for decision in (benchmark.decision for benchmark in benchmarks):
        if decision.verdict is Verdict.PROMOTED and decision.over_champion is not None:
            yield math.log(decision.over_champion.estimate)


def _counts(those: Sequence[Worked]) -> Counts:
    return Counts(
        handed_in=sum(one.handed_in for one in those),
        benchmarked=sum(len(one.timed) for one in those),
        measured=sum(one.measured for one in those),
    )
