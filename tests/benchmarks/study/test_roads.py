"""What is played over values comes out the same on a real board, answer by answer."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.study.grids import opened
from benchmarks.study.onboard import OnBoard
from benchmarks.study.policy import Answer, Lesson, Sight
from benchmarks.study.road import Road, policy_of
from benchmarks.study.space import Design
from benchmarks.study.trial import Cell, played
from benchmarks.study.values import Values
from guard.domain.decision import Retention
from memory.records import Claim

BUDGET = 30


class Noting:
    """A road that writes down what passes over it."""

    def __init__(self, road: Road) -> None:
        self._road = road
        self.passed: list[object] = []

    async def open(self) -> None:
        await self._road.open()

    def claim(self, agent: str) -> Claim | None:
        found = self._road.claim(agent)
        self.passed.append(
            (agent, found and (found.strategy, found.phase, found.parents, found.reason))
        )
        return found

    def leave(self, claim: Claim) -> None:
        self.passed.append(("left", claim.strategy))
        self._road.leave(claim)

    def sight(self, claim: Claim) -> Sight:
        sight = self._road.sight(claim)
        told: Sequence[tuple[object, ...]] = [
            (c.agent, c.kind, c.note, c.reflection, c.submission_ids, c.speedup)
            for c in sight.conclusions
        ]
        self.passed.append((sight.champion, sight.champion_gain, told, dict(sight.cited)))
        return sight

    async def hand_in(self, claim: Claim, design: Design, grew_from: Sequence[Design]) -> Answer:
        answer = await self._road.hand_in(claim, design, grew_from)
        self.passed.append((claim.agent, design, answer))
        return answer

    def post(self, claim: Claim, lesson: Lesson, submission_id: int) -> None:
        self._road.post(claim, lesson, submission_id)

    def design(self, submission_id: int) -> Design:
        return self._road.design(submission_id)

    def champion(self) -> Design | None:
        return self._road.champion()


@pytest.mark.parametrize(
    ("source", "cell"),
    [
        pytest.param(
            "narrow",
            Cell(agents=3, memory=Retention.BOUNDED, assigned=True, forced=False),
            id="assigned",
        ),
        pytest.param(
            "narrow",
            Cell(agents=2, memory=Retention.UNBOUNDED, assigned=False, forced=False),
            id="free",
        ),
        pytest.param(
            "softmax_rows",
            Cell(agents=1, memory=Retention.PRIVATE, assigned=False, forced=True),
            id="forced",
        ),
        pytest.param(
            "softmax_rows",
            Cell(agents=2, memory=Retention.NONE, assigned=True, forced=True),
            id="forced and assigned",
        ),
    ],
)
async def test_values_and_board_answer_the_same(source: str, cell: Cell, tmp_path: Path):
    evaluator, catalogue = opened(source, 5)
    policy = policy_of(cell.memory, forced=cell.forced)
    given = catalogue if cell.assigned else None
    fast = Noting(Values(evaluator, policy, 5, given))
    real = OnBoard(evaluator, policy, 5, given, tmp_path)
    slow = Noting(real)
    one = await played(cell, 5, BUDGET, evaluator, fast)
    other = await played(cell, 5, BUDGET, evaluator, slow)
    await real.close()
    assert fast.passed == slow.passed
    assert one == other
