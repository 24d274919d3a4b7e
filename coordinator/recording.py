"""Decide a duel that was fought, and record it with all that the decision rests on.

    Fought -> gate -> Benchmark -> board -> plateau            champion moved: nothing is recorded

One at a time: a claim's own best is read and its next benchmark recorded in one go. Everything is
on disk before anybody is told. Start at `Recorder.record`.
"""

import asyncio
from collections.abc import Callable

from coordinator import contest, plateau
from coordinator.claims import settle
from coordinator.contest import Candidate, Fought
from coordinator.orders import twice
from guard import gate
from guard.domain.decision import Verdict
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Benchmark, Champion


class Recorder:
    """The decisions of one device's road."""

    def __init__(self, board: Board, database: Database, clock: Callable[[], float]) -> None:
        self._board = board
        self._database = database
        self._clock = clock
        self._recording = asyncio.Lock()

    async def record(self, candidate: Candidate, champion: Champion, fought: Fought) -> bool:
        """Decide and store; False: there is another champion by now, and nothing was stored."""
        async with self._recording:
            return await twice(lambda: asyncio.to_thread(self._record, candidate, champion, fought))

    def _record(self, candidate: Candidate, champion: Champion, fought: Fought) -> bool:
        submission, campaign = candidate.submission, candidate.campaign
        policy = campaign.policy
        claim = views.claim(self._database, submission.claim_id)
        earlier = views.counted_benchmarks(self._database, claim) if claim is not None else ()
        decision = gate.decide(
            candidate.verification,
            fought.duel,
            policy,
            fought.terms,
            campaign.baseline.loose,
            campaign.baseline.bounds,
        )
        decision = contest.unless_revoked(decision, views.submission(self._database, submission.id))
        measured = fought.over_baseline(campaign.baseline.solution)
        speedup, derived = contest.reported(
            decision, measured, champion.speedup, policy, fought.terms
        )
        held = views.benchmark_of(self._database, champion.submission_id)
        benchmark = Benchmark(
            submission_id=submission.id,
            over_baseline=measured,
            over_champion=fought.duel,
            decision=decision,
            terms=fought.terms,
            speedup=speedup,
            derived=derived,
            evaluations=contest.judged(candidate.verification, measured, fought.duel, held, policy),
            champion_submission_id=champion.submission_id,
            generation=champion.generation,
            decided_s=self._clock(),
            progress=gate.is_progress(decision, speedup, plateau.own_best(earlier), policy),
        )
        promote = submission.solution if decision.verdict is Verdict.PROMOTED else None
        if not self._board.record_benchmark(benchmark, candidate.job_id, promote=promote):
            return False
        if claim is not None:
            settle(self._board, self._database, claim, policy, self._clock())
        return True
