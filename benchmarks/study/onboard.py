"""The same road on a real board: claims, pipeline, drafting and views, as a server has them.

    agent ── Claims, Board, Pipeline, Drafting ──> database         StudyReferee answers the orders

Some fifty times slower than `values`, whose answers must be the same ones; a test compares them.
Start at `OnBoard.hand_in`.
"""

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.study.evaluator import Evaluator
from benchmarks.study.policy import Answer, Lesson, Sight
from benchmarks.study.referee import DEVICE, StudyReferee
from benchmarks.study.road import TOKEN, free_choice, gain_of
from benchmarks.study.space import Design
from coordinator.catalogue import Catalogue, load
from coordinator.claims import Claims
from coordinator.drafting import Drafting
from coordinator.pipeline import Pipeline
from guard.domain.decision import Policy
from guard.domain.errors import TooSimilar
from memory import views
from memory.board import Board
from memory.engine import open_database
from memory.records import Claim, ClaimState
from memory.retention import Reader, retained

NOW = 1.0
ALL = 10**6
"""More conclusions than any run posts."""


class OnBoard:
    """One campaign in a folder; satisfies `road.Road`."""

    def __init__(
        self,
        evaluator: Evaluator,
        policy: Policy,
        seed: int,
        catalogue: Catalogue | None,
        folder: Path,
    ) -> None:
        """`catalogue`: what claims are assigned from; none: agents choose for themselves."""
        self._evaluator = evaluator
        self._policy = policy
        self._first: dict[Design, int] = {}
        """The submission with which a design came first."""
        self._assigns = catalogue is not None
        self._referee = StudyReferee(evaluator, seed)
        self._database = open_database(f"sqlite:///{folder / 'board.db'}")
        self._board = Board(self._database, clock=lambda: NOW)
        known = catalogue or load()
        devices = {DEVICE.name: DEVICE}
        self._claims = Claims(self._board, self._database, known, devices=devices)
        self._drafting = Drafting(self._database)
        self._pipeline = Pipeline(
            self._board, self._database, self._referee, known, clock=lambda: NOW
        )

    async def open(self) -> None:
        """Start the campaign."""
        self._campaign = await self._pipeline.ensure_campaign(
            self._evaluator.problem, DEVICE, self._policy
        )

    async def close(self) -> None:
        """Close the database."""
        await self._pipeline.close()
        self._database.close()

    def claim(self, agent: str) -> Claim | None:
        """What the coordinator assigns, or a claim that binds to nothing."""
        if not self._assigns:
            choice = free_choice(agent)
            return self._board.claim(
                self._campaign.id,
                strategy=choice.strategy,
                lane=choice.lane,
                phase=choice.phase.value,
                token=TOKEN,
                agent=agent,
                reason=choice.reason,
                lease_s=self._policy.lease_s,
                now_s=NOW,
            )
        found = self._claims.assign(self._campaign, prefer="", token=TOKEN, agent=agent, now_s=NOW)
        return found if isinstance(found, Claim) else None

    def leave(self, claim: Claim) -> None:
        """Release it."""
        self._claims.release(claim.id, TOKEN, "abandoned", now_s=NOW)

    def sight(self, claim: Claim) -> Sight:
        """The champion, and what retention shows of the conclusions."""
        champion = views.champion(self._database, self._campaign.id)
        every = views.conclusions(self._database, self._campaign.id, limit=ALL)
        shown = retained(every, self._policy, Reader(token=TOKEN, agent=claim.agent))
        cited = {number: self.design(number) for c in shown for number in c.submission_ids}
        if champion.speedup is None:
            return Sight(None, 0.0, shown, cited)
        design = self._referee.design(champion.solution)
        return Sight(design, math.log(champion.speedup.estimate), shown, cited)

    async def hand_in(self, claim: Claim, design: Design, grew_from: Sequence[Design]) -> Answer:
        """Drafting's check, submission, verification, benchmark."""
        solution = self._referee.solution(design)
        try:
            self._drafting.require_different(claim, self._campaign, solution, None)
        except TooSimilar:
            stage = self._drafting.standing(claim, self._campaign).stage
            return Answer(0, None, stage, similar=True)
        submission, job = self._board.submit(claim.id, solution, self._builds_on(grew_from), NOW)
        self._first.setdefault(design, submission.id)
        await self._pipeline.verify(job)
        judged = views.submission(self._database, submission.id)
        assert judged is not None and judged.verification is not None
        if judged.verification.passed and not judged.same_as:
            await self._pipeline.benchmark(self._board.request_benchmark(submission.id, NOW))
        found = views.benchmark_of(self._database, judged.same_as or submission.id)
        now = views.claim(self._database, claim.id)
        assert now is not None
        stage = self._drafting.standing(claim, self._campaign).stage
        return Answer(submission.id, gain_of(found), stage, open=now.state is ClaimState.LIVE)

    def _builds_on(self, grew_from: Sequence[Design]) -> tuple[int, ...]:
        return tuple(self._first[design] for design in grew_from if design in self._first)

    def post(self, claim: Claim, lesson: Lesson, submission_id: int) -> None:
        """Post it, with the speedup that the record tells."""
        cited = views.submission(self._database, submission_id)
        assert cited is not None
        found = views.benchmark_of(self._database, cited.same_as or submission_id)
        self._board.post_conclusion(
            claim.id,
            lesson.kind,
            lesson.note,
            lesson.reflection,
            (submission_id,),
            found.speedup.estimate if found is not None else None,
            NOW,
        )

    def design(self, submission_id: int) -> Design:
        """What was handed in under this number."""
        found = views.submission(self._database, submission_id)
        assert found is not None
        return self._referee.design(found.solution) or self._evaluator.space.start

    def champion(self) -> Design | None:
        """Who holds the first place."""
        return self._referee.design(views.champion(self._database, self._campaign.id).solution)
