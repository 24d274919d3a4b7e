"""A referee that asks an evaluator: every order of the road is answered at once.

    VerifyOrder -> VerifyReport          DuelOrder -> DuelReport          BaselineOrder -> baseline

What it draws depends on the seed, on who fights whom, and on how often they did: not on the road
that asks. Start at `StudyReferee.ask`.
"""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

from benchmarks.study.evaluator import Evaluator
from benchmarks.study.space import Design
from guard.domain.solution import Solution
from guard.domain.trace import Duel
from guard.ports import DeviceIdentity
from guard.wire import (
    BaselineOrder,
    BaselineReport,
    DuelOrder,
    DuelReport,
    Order,
    Progress,
    Report,
    VerifyOrder,
    VerifyReport,
)

DEVICE = DeviceIdentity(name="cpu", kind="cpu", hardware="study", architecture="x86-64-v3")
Designs = dict[str, Design | None]


class StudyReferee:
    """Satisfies `guard.ports.Referee` without a process of its own."""

    device = DEVICE

    def __init__(self, evaluator: Evaluator, seed: int) -> None:
        self._evaluator = evaluator
        self._seed = seed
        self._fought: Counter[tuple[str, str]] = Counter()
        self._designs: Designs = {evaluator.baseline.solution.digest: None}

    def solution(self, design: Design) -> Solution:
        """What an agent hands in; from then on the referee knows it."""
        found = self._evaluator.solution(design)
        # The plain candidate of a pool is its baseline, too.
        self._designs.setdefault(found.digest, design)
        return found

    def design(self, solution: Solution) -> Design | None:
        """What was handed in as this; none: the baseline."""
        return self._designs[solution.digest]

    async def ask(
        self, order: Order, progress: Callable[[Progress], Awaitable[None]] | None = None
    ) -> Report:
        """Carry out one order."""
        if isinstance(order, BaselineOrder):
            return BaselineReport(job=order.job, baseline=self._evaluator.baseline)
        if isinstance(order, VerifyOrder):
            design = self.design(order.solution) or self._evaluator.space.start
            return VerifyReport(job=order.job, verification=self._evaluator.verification(design))
        assert isinstance(order, DuelOrder)
        sides = (order.champion.digest, order.candidate.digest)
        pairs = []
        for _ in range(order.pairs):
            self._fought[sides] += 1
            rng = random.Random(f"{self._seed} {sides} {self._fought[sides]}")
            champion, candidate = (self._designs[side] for side in sides)
            pairs.append(self._evaluator.pair(champion, candidate, rng))
        duel = Duel(champion=sides[0], candidate=sides[1], pairs=tuple(pairs))
        return DuelReport(job=order.job, duel=duel)

    async def cancel(self, job: str) -> None:
        """Nothing is ever under way."""

    def load(self) -> Mapping[tuple[str, str], int]:
        """No order ever waits."""
        return {}

    async def close(self) -> None:
        """Nothing to end."""
