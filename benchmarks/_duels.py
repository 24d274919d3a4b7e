"""A solution against itself, as the referee times it: one fresh process pair after the other.

    Problem × Solution -> [ProcessPair]

Goes the way of every duel: orders to a referee's process. Start at `against_itself`. Not here: what
the figures mean (`precision`, `agreement`).
"""

import math
import time
from collections.abc import Sequence
from statistics import median

from benchmarks._stream import Submission
from guard import plugins
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.trace import ProcessPair
from guard.ports import DeviceIdentity
from guard.wire import DuelOrder, DuelReport

EXECUTOR = "local"


class NotTimed(Exception):
    """The referee gave no timing."""


def solution_of(submission: Submission, problem: Problem) -> Solution:
    """What the server would make of the same arguments."""
    suffix = plugins.load("languages")[submission.language].suffix
    plan = submission.launch_plan
    return Solution(
        definition=problem.definition.name,
        language=submission.language,
        sources=(Source(path=f"solution{suffix}", content=submission.source),),
        options=tuple(submission.options.split()),
        launch_plan=LaunchPlan.model_validate_json(plan) if plan else None,
    )


async def against_itself(
    device: DeviceIdentity, problem: Problem, solution: Solution, pairs: int, seconds: float
) -> list[ProcessPair]:
    """Time so many process pairs, or fewer when the time is over; the first is always timed.

    Raises:
        NotTimed: the solution failed while being timed.
        KernelArcError: the house failed.
    """
    referee = plugins.load("executors")[EXECUTOR].open(device)
    deadline = time.monotonic() + seconds
    found: list[ProcessPair] = []
    try:
        while len(found) < pairs and (not found or time.monotonic() < deadline):
            order = DuelOrder(
                job=f"pair-{len(found)}",
                problem=problem,
                candidate=solution,
                champion=solution,
                policy=Policy(),
                pairs=1,
                first_pair=len(found),
            )
            report = await referee.ask(order)
            if not isinstance(report, DuelReport) or not report.duel.pairs:
                raise NotTimed(report.model_dump_json()[:2000])
            found += report.duel.pairs
    finally:
        await referee.close()
    return found


def log_ratio(champion_ms: Sequence[float], candidate_ms: Sequence[float]) -> float:
    """The figure of one workload in one pair: the median over turns of ln(champion / candidate)."""
    turns = zip(champion_ms, candidate_ms, strict=True)
    return median(math.log(a / b) for a, b in turns if a > 0 and b > 0)
