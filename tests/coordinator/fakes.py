"""A referee that measures nothing: it reads each solution's speed out of its source.

Everything else in these tests is the real thing, database included.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable

from guard.domain.decision import Decision, Interval, Verdict
from guard.domain.problem import Problem
from guard.domain.solution import Solution, Source
from guard.domain.trace import Baseline, Duel, Judgement, Verification
from guard.ports import DeviceIdentity
from guard.wire import (
    BaselineOrder,
    BaselineReport,
    Cancelled,
    DuelOrder,
    DuelReport,
    Order,
    Progress,
    Report,
    VerifyOrder,
    VerifyReport,
)
from memory.records import Benchmark, HealthDuel
from tests.guard.duels import QUIET, duel, verification, wrong

CPU = DeviceIdentity(name="cpu", kind="cpu", hardware="a cpu", architecture="x86-64-v3")
Notify = Callable[[Progress], Awaitable[None]]


def problem(name: str = "softmax_rows", op_type: str = "softmax") -> Problem:
    """A problem with one CPU workload, `w`."""
    tensor = {"shape": ["N"], "dtype": "float32"}
    workload = {"uuid": "w", "axes": {"N": 8}, "inputs": {"x": {"type": "random"}}}
    return Problem.model_validate(
        {
            "name": name,
            "definition": {
                "name": name,
                "op_type": op_type,
                "axes": {"N": {"type": "var"}},
                "inputs": {"x": tensor},
                "outputs": {"y": tensor},
                "reference": "def run(x):\n    return x.clone()\n",
            },
            "workloads": [workload],
            "cpu_workloads": [workload],
        }
    )


def solution(log_gain: float, text: str = "") -> Solution:
    """A solution whose time is exp(-log_gain) of the baseline's."""
    source = Source(path="main.cpp", content=f"{log_gain} {text}")
    return Solution(definition="softmax_rows", language="cpp", sources=(source,))


def baseline() -> Baseline:
    """What every solution is measured against."""
    return Baseline(
        kind="eager", solution=solution(0.0, "eager"), latency_ms={"w": 1.0}, contenders={}
    )


def benchmark(
    verdict: Verdict = Verdict.REVERTED,
    *,
    speedup: float = 1.0,
    progress: bool = False,
    timed: bool = True,
    submission_id: int = 1,
) -> Benchmark:
    """What a benchmark left, without its numbers."""
    interval = Interval(estimate=speedup, low=speedup, high=speedup)
    return Benchmark(
        submission_id=submission_id,
        over_baseline=duel(),
        over_champion=duel(),
        decision=Decision(verdict=verdict, reason="", over_champion=interval if timed else None),
        speedup=interval,
        evaluations={},
        champion_submission_id=0,
        generation=0,
        decided_s=0.0,
        progress=progress,
    )


def seeded(campaign_id: int, *values: float) -> HealthDuel:
    """What the baseline showed against itself before the first duel: these log-ratios."""
    same = Interval(estimate=1.0, low=1.0, high=1.0)
    return HealthDuel(
        campaign_id=campaign_id,
        kind="seed",
        champion_submission_id=0,
        against_submission_id=0,
        duel=duel(*({"w": value} for value in values)),
        terms=QUIET,
        ratio=same,
        expected=1.0,
        promoted=False,
        wrong=False,
        fought_s=0.0,
    )


class FakeReferee:
    """Answers orders as told: first what lies in `answers`, then the truth of the sources."""

    def __init__(self) -> None:
        self.device = CPU
        self.orders: list[Order] = []
        self.answers: list[Report | Exception] = []
        """Given out before anything else, one per order; an exception is raised."""
        self.verdict: Verification = verification("w")
        self.before: Callable[[Order], Awaitable[None]] | None = None
        """Runs before an order is answered: a place to wait, or to let others act."""
        self.cancelled: set[str] = set()

    async def ask(self, order: Order, progress: Notify | None = None) -> Report:
        """Carry out one order."""
        self.orders.append(order)
        if progress is not None:
            await progress(Progress(job=order.job, done=1, total=2, message=order.type))
        if self.before is not None:
            await self.before(order)
        await asyncio.sleep(0)
        if order.job in self.cancelled:
            return Cancelled(job=order.job)
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return self._answer(order)

    async def cancel(self, job: str) -> None:
        """End the order of this job."""
        self.cancelled.add(job)

    async def close(self) -> None:
        """Nothing to end."""

    def duels(self) -> list[DuelOrder]:
        """The duels that were ordered."""
        return [order for order in self.orders if isinstance(order, DuelOrder)]

    def _answer(self, order: Order) -> Report:
        if isinstance(order, BaselineOrder):
            return BaselineReport(job=order.job, baseline=baseline())
        if isinstance(order, VerifyOrder):
            known = self.verdict.compiled.code_digest in order.known
            told = self.verdict.model_copy(update={"judgements": ()} if known else {})
            return VerifyReport(job=order.job, verification=told)
        assert isinstance(order, DuelOrder)
        return DuelReport(job=order.job, duel=fought(order))


def fought(order: DuelOrder) -> Duel:
    """The duel as it comes out by the speeds in the sources."""
    gain = _gain(order.candidate) - _gain(order.champion) - math.log1p(order.handicap)
    numbers = duel(*({"w": gain} for _ in range(order.pairs)))
    sides = {"champion": order.champion.digest, "candidate": order.candidate.digest}
    return numbers.model_copy(update=sides)


def wrong_while_timed(job: str) -> DuelReport:
    """A duel in which the candidate failed."""
    failures = (Judgement(workload="w", evaluation=wrong()),)
    return DuelReport(job=job, duel=duel(failures=failures))


def _gain(solution: Solution) -> float:
    return float(solution.source.split()[0])
