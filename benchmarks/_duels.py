"""A solution against itself, as the referee times it: one fresh process pair after the other.

    Problem × Solution -> [ProcessPair]

Goes the way of every duel: orders to a referee's process. Start at `against_itself`. Not here: what
the figures mean (`precision`, `agreement`).
"""

import time

from benchmarks._stream import Submission
from coordinator.contest import Bout, fight
from coordinator.orders import Meter, Orders
from guard import plugins
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import LaunchPlan, Solution, Source
from guard.domain.trace import ProcessPair
from guard.ports import DeviceIdentity

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
    ends_s = time.monotonic() + seconds
    bout = Bout(job="pair", problem=problem, policy=Policy(), candidate=solution, champion=solution)
    try:
        duel = await fight(
            Orders(referee), bout, Meter(None, 1), lambda _: time.monotonic() < ends_s, most=pairs
        )
    finally:
        await referee.close()
    if duel.failures:
        raise NotTimed(duel.failures[0].model_dump_json()[:2000])
    return list(duel.pairs)
