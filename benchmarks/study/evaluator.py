"""What differs between the two studies: whether a design passes, and what its process pairs say.

    design -> Solution, Verification                     two designs -> ProcessPair

Start at `Evaluator`; `Simulated` answers from a landscape. Not here: real candidates (`recorded`),
the orders (`referee`).
"""

import math
import random
from typing import Protocol

from benchmarks.study.landscape import Landscape
from benchmarks.study.space import Design, Space
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution, Source
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
    WorkloadTiming,
)

PLAIN_MS = 100.0
"""What the plain design takes on a landscape: far above all that a clock cannot resolve."""
OUTLIERS, WIDER = 0.05, 4.0
"""How often a process was disturbed, and how much wider its figures scatter then."""
WORKLOAD = "w"
WHEN = "2026-01-01T00:00:00Z"
_RIGHT = Correctness(max_relative_error=0.0, max_absolute_error=0.0)
_WHERE = Environment(hardware="simulated", libs={}, sandbox_grade=Policy().min_grade)


class Evaluator(Protocol):
    """What the study asks of a landscape, or of a judged pool."""

    space: Space
    problem: Problem
    baseline: Baseline
    optimum: float
    """The largest true log-speedup over the baseline."""

    def solution(self, design: Design) -> Solution:
        """The text that an agent hands in for it."""
        ...

    def verification(self, design: Design) -> Verification:
        """Whether it is correct."""
        ...

    def truth(self, design: Design) -> float:
        """Its true log-speedup over the baseline; only of one that passes."""
        ...

    def pair(
        self, champion: Design | None, candidate: Design | None, rng: random.Random
    ) -> ProcessPair:
        """One process pair of the two; none: the baseline."""
        ...

    def similar(self, design: Design, other: Design | None) -> bool:
        """Whether drafting refuses the first beside the second; none: the baseline."""
        ...


class Simulated:
    """Answers from a landscape."""

    def __init__(self, landscape: Landscape) -> None:
        self._landscape = landscape
        self.space = landscape.space
        self.problem = _problem()
        self.baseline = Baseline(
            kind="eager",
            solution=_text("the plain design, as everybody finds it"),
            latency_ms={WORKLOAD: PLAIN_MS},
            contenders={},
        )
        self.optimum = landscape.optimum()

    def solution(self, design: Design) -> Solution:
        """All its settings, each as a word of its own."""
        return _text(self.space.told(enumerate(design)).replace("=", "_"))

    def verification(self, design: Design) -> Verification:
        """Wrong where the landscape has a dead end."""
        alive = self._landscape.gain(design) is not None
        kind = Passed if alive else IncorrectNumerical
        found = kind(environment=_WHERE, timestamp=WHEN, correctness=_RIGHT)
        judgement = Judgement(workload=WORKLOAD, evaluation=found)
        return Verification(compiled=CompileReport(ok=True), judgements=(judgement,))

    def truth(self, design: Design) -> float:
        """The landscape's height."""
        found = self._landscape.gain(design)
        assert found is not None
        return found

    def pair(
        self, champion: Design | None, candidate: Design | None, rng: random.Random
    ) -> ProcessPair:
        """The difference in height, with noise."""
        wide = WIDER if rng.random() < OUTLIERS else 1.0
        scatter = rng.gauss(0, self._landscape.parameters.noise * wide)
        held = self._height(champion)
        timing = timed(
            WORKLOAD, PLAIN_MS * math.exp(-held), self._height(candidate) - held, scatter
        )
        return ProcessPair(swapped=rng.random() < 0.5, workloads=(timing,))

    def similar(self, design: Design, other: Design | None) -> bool:
        """The same idea in every lane: all that differs is tuning."""
        other = other or self.space.start
        ideas = (k for k, knob in enumerate(self.space.knobs) if knob.idea)
        return all(design[k] == other[k] for k in ideas)

    def _height(self, design: Design | None) -> float:
        return self.truth(design) if design is not None else 0.0


def timed(workload: str, champion_ms: float, gain: float, scatter: float = 0.0) -> WorkloadTiming:
    """A timing in which the candidate gains so much (log units); its audits say the same."""
    times, took_ms = Policy().turns * 2, champion_ms * math.exp(-gain - scatter)
    return WorkloadTiming(
        workload=workload,
        champion_ms=(champion_ms,) * times,
        candidate_ms=(took_ms,) * times,
        champion_audit_ms=(champion_ms,) * times,
        candidate_audit_ms=(took_ms,) * times,
        calls=8,
        mode="host",
    )


def _text(words: str) -> Solution:
    source = Source(path="solution.cpp", content=words)
    return Solution(definition="landscape", language="cpp", sources=(source,))


def _problem() -> Problem:
    tensor = {"shape": ["N"], "dtype": "float32"}
    workload = {"uuid": WORKLOAD, "axes": {"N": 8}, "inputs": {"x": {"type": "random"}}}
    definition = {
        "name": "landscape",
        "axes": {"N": {"type": "var"}},
        "inputs": {"x": tensor},
        "outputs": {"y": tensor},
        "reference": "def run(x):\n    return x.clone()\n",
    }
    fields = {"name": "landscape", "definition": definition, "workloads": [workload]}
    return Problem.model_validate({**fields, "cpu_workloads": [workload]})
