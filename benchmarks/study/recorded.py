"""A judged pool as an evaluator: verdicts as recorded, process pairs drawn again from its own.

    pool + judged.jsonl -> Recorded

The campaign begins with the pool's plain candidate as its baseline, so that there is a road to
climb; how it stands to the problem's own baseline is told in docs/study.md. A pair of two
candidates is the difference of one recorded pair of each against the problem's baseline, and noise
is the difference of two pairs in which that baseline fought itself. What a candidate is truly worth
is taken to be the mean of all its recorded pairs.

Start at `recorded`. Not here: how it was judged (`judging`).
"""

import math
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, median

from benchmarks.study import judging, templates
from benchmarks.study.evaluator import WHEN, timed
from benchmarks.study.judging import Header, Noise, Outcome, Pair
from benchmarks.study.space import Design
from benchmarks.study.templates import Pool
from coordinator.distance.idea import Idea
from coordinator.distance.measure import apart, ideas
from guard.domain.decision import Policy
from guard.domain.solution import Solution
from guard.domain.trace import (
    Baseline,
    CompileReport,
    Correctness,
    Environment,
    IncorrectNumerical,
    Judgement,
    Passed,
    ProcessPair,
    Verification,
)

_RIGHT = Correctness(max_relative_error=0.0, max_absolute_error=0.0)


class Unjudged(ValueError):
    """Candidates of the pool have no outcome in the file."""


class Recorded:
    """Answers from a judged pool; satisfies `evaluator.Evaluator`."""

    def __init__(self, pool: Pool, header: Header, noise: Sequence[Pair], found: Sequence[Outcome]):
        self._noise = noise
        self._apart: dict[tuple[Design, Design], float] = {}
        self._ideas: dict[Design, tuple[Idea, ...]] = {}
        self._outcomes = {outcome.design: outcome for outcome in found}
        self.space = pool.space
        self.problem = pool.problem
        self._solutions = {design: pool.solution(design) for design in pool.designs()}
        missing = sum(
            design not in self._outcomes or self._outcomes[design].digest != solution.digest
            for design, solution in self._solutions.items()
        )
        if missing:
            raise Unjudged(f"{missing} of {len(self._solutions)} candidates are not judged")
        self._baseline_ms = {
            workload: median(pair[workload].baseline_ms for pair in noise) for workload in noise[0]
        }
        plain = self._outcomes[self.space.start]
        self._plain = _worth(plain.pairs)
        self.baseline = Baseline(
            kind="eager",
            solution=self._solutions[self.space.start],
            latency_ms={w: ms * math.exp(-self._plain) for w, ms in self._baseline_ms.items()},
            contenders=header.baseline.contenders,
        )
        self._where = Environment(
            hardware=header.machine.processor,
            libs=header.machine.versions,
            sandbox_grade=Policy().min_grade,
        )
        self.optimum = max(self.truth(d) for d, o in self._outcomes.items() if o.pairs)

    def solution(self, design: Design) -> Solution:
        """The real source."""
        return self._solutions[design]

    def verification(self, design: Design) -> Verification:
        """As it was judged: what the guard refused has no pairs."""
        kind = Passed if self._passes(design) else IncorrectNumerical
        found = kind(environment=self._where, timestamp=WHEN, correctness=_RIGHT)
        judgements = tuple(Judgement(workload=w, evaluation=found) for w in self._baseline_ms)
        return Verification(compiled=CompileReport(ok=True), judgements=judgements)

    def truth(self, design: Design) -> float:
        """The mean of its recorded pairs, over the plain candidate."""
        return _worth(self._outcomes[design].pairs) - self._plain

    def pair(
        self, champion: Design | None, candidate: Design | None, rng: random.Random
    ) -> ProcessPair:
        """The difference of a recorded pair of each."""
        champion, candidate = champion or self.space.start, candidate or self.space.start
        if champion == candidate:
            held, drawn = rng.sample(self._noise, 2)
        else:
            held, drawn = (rng.choice(self._outcomes[d].pairs) for d in (champion, candidate))
        timings = tuple(
            timed(w, ms * math.exp(-held[w].gain), drawn[w].gain - held[w].gain)
            for w, ms in self._baseline_ms.items()
        )
        return ProcessPair(swapped=rng.random() < 0.5, workloads=timings)

    def similar(self, design: Design, other: Design | None) -> bool:
        """The coordinator's own measure of the two sources, and its threshold."""
        other = other or self.space.start
        if (design, other) not in self._apart:
            found = apart(self._idea(design), self._idea(other)).value
            self._apart[design, other] = found
        return self._apart[design, other] < Policy().drafting_distance

    def _idea(self, design: Design) -> tuple[Idea, ...]:
        if design not in self._ideas:
            self._ideas[design] = ideas(self._solutions[design])
        return self._ideas[design]

    def _passes(self, design: Design) -> bool:
        outcome = self._outcomes[design]
        return outcome.verdict.believed and bool(outcome.pairs)


@cache
def recorded(name: str, file: Path) -> Recorded:
    """Read a judged pool.

    Raises:
        Unjudged: some of its candidates have no outcome yet, or were changed since.
    """
    lines = judging.read(file)
    headers = [line for line in lines if isinstance(line, Header)]
    if not headers:
        raise Unjudged(f"{file} holds no judged pool")
    noise = [pair for line in lines if isinstance(line, Noise) for pair in line.aa]
    outcomes = [line for line in lines if isinstance(line, Outcome)]
    return Recorded(templates.read(name), headers[0], noise, outcomes)


def _worth(pairs: Sequence[Pair]) -> float:
    return fmean(fmean(t.gain for t in pair.values()) for pair in pairs)
