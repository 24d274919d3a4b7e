"""Decide a duel that was fought, and record it with all that the decision rests on.

    Fought -> gate -> Benchmark -> board -> plateau            champion moved: nothing is recorded

One at a time: a claim's own best is read and its next benchmark recorded in one go. Everything is
on disk before anybody is told. Start at `Recorder.record`; `decided` is its pure part.
"""

import asyncio
from collections.abc import Callable, Sequence

from coordinator import contest, plateau
from coordinator.claims import settle
from coordinator.contest import Candidate, Fought
from coordinator.orders import twice
from guard import gate
from guard.domain.decision import Verdict
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Benchmark, Champion, Submission


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
        submission, policy = candidate.submission, candidate.campaign.policy
        claim = views.claim(self._database, submission.claim_id)
        earlier = views.counted_benchmarks(self._database, claim) if claim is not None else ()
        held = views.benchmark_of(self._database, champion.submission_id)
        now = views.submission(self._database, submission.id)
        benchmark = decided(candidate, champion, fought, earlier, held, now, self._clock())
        promote = submission.solution if benchmark.decision.verdict is Verdict.PROMOTED else None
        if not self._board.record_benchmark(benchmark, candidate.job_id, promote=promote):
            return False
        if claim is not None:
            settle(self._board, self._database, claim, policy, self._clock())
        return True


def decided(
    candidate: Candidate,
    champion: Champion,
    fought: Fought,
    earlier: Sequence[Benchmark],
    held: Benchmark | None,
    now: Submission | None,
    decided_s: float,
) -> Benchmark:
    """What a duel that was fought comes to. Pure.

    `earlier`: the claim's benchmarks that count. `held`: the champion's own, if it has one.
    `now`: the submission as it stands, since the same solution may have been revoked meanwhile.
    """
    campaign, policy = candidate.campaign, candidate.campaign.policy
    decision = gate.decide(
        candidate.verification,
        fought.duel,
        policy,
        fought.terms,
        campaign.baseline.loose,
        campaign.baseline.bounds,
    )
    decision = contest.unless_revoked(decision, now)
    measured = fought.over_baseline(campaign.baseline.solution)
    speedup, derived = contest.reported(decision, measured, champion.speedup, policy, fought.terms)
    return Benchmark(
        submission_id=candidate.submission.id,
        over_baseline=measured,
        over_champion=fought.duel,
        decision=decision,
        terms=fought.terms,
        speedup=speedup,
        derived=derived,
        evaluations=contest.judged(candidate.verification, measured, fought.duel, held, policy),
        champion_submission_id=champion.submission_id,
        generation=champion.generation,
        decided_s=decided_s,
        progress=gate.is_progress(decision, speedup, plateau.own_best(earlier), policy),
    )
