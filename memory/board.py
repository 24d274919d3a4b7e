"""Everything that is ever written to the board: one method, one transaction.

    Board.submit(...) -> BEGIN IMMEDIATE, memory.writes.submissions.submit, COMMIT -> frozen record

A method that returns has its facts on disk. One that raises has written nothing. Races are decided
by the database (unique indexes and conditional updates), never by an earlier read. Methods block,
so an event loop calls them in threads; any number of threads may.

Start at `claim` and `record_benchmark`, the two that can lose a race. Not here: what to decide
(`coordinator`, `guard.gate`), reading (`views`), how a transaction is opened (`engine`), what
belongs to a whole campaign (`campaign_board`).
"""

from collections.abc import Sequence

from sqlalchemy.exc import IntegrityError

from guard.domain.adherence import Adherence
from guard.domain.solution import Solution
from guard.domain.trace import Verification
from memory.campaign_board import CampaignBoard
from memory.conclusion import Conclusion, ConclusionKind, Measured
from memory.records import (
    Benchmark,
    Claim,
    ClaimState,
    HealthDuel,
    Job,
    Revocation,
    Submission,
)
from memory.writes import (
    benchmarks,
    claims,
    conclusions,
    health,
    jobs,
    revocations,
    submissions,
    tokens,
    verifications,
)


class Board(CampaignBoard):
    """The writing side of one database."""

    # --- claims ------------------------------------------------------------------------------

    def claim(
        self,
        campaign_id: int,
        *,
        strategy: str,
        lane: str,
        token: str,
        agent: str,
        reason: str,
        lease_s: float,
        now_s: float,
        phase: str = "",
        parents: tuple[int, ...] = (),
    ) -> Claim | None:
        """Take a strategy; None when another live claim holds it or the agent holds another.

        An expired claim of another agent on the strategy is taken over, and an expired claim of
        this agent is abandoned, in the same transaction.

        Raises:
            CampaignClosed: the campaign has ended.
        """
        wanted = claims.Wanted(campaign_id, strategy, lane, token, agent, reason, phase, parents)
        try:
            with self._database.write() as session:
                return claims.take(session, wanted, lease_s=lease_s, now_s=now_s)
        except IntegrityError:
            # A unique index refused the row: the database is the only judge of this race.
            return None

    def renew(self, claim_id: str, *, lease_s: float, now_s: float) -> Claim:
        """Extend a live claim's lease, expired or not; any other claim comes back as it is.

        Raises:
            UnknownClaim: no claim has this id.
        """
        with self._database.write() as session:
            return claims.renew(session, claim_id, lease_s=lease_s, now_s=now_s)

    def close_claim(
        self,
        claim_id: str,
        state: ClaimState,
        *,
        detail: str,
        now_s: float,
        model: str = "",
        tokens: int = 0,
        cost_usd: float = 0.0,
    ) -> Claim:
        """Move a live claim to DONE, ABANDONED or EXHAUSTED, which frees its strategy.

        An exhausted claim keeps that state when its agent leaves; what the agent reports is
        recorded once. A claim that is already closed comes back as it is.

        Raises:
            UnknownClaim: no claim has this id.
        """
        leaving = claims.Leaving(detail, model, tokens, cost_usd)
        with self._database.write() as session:
            return claims.close(session, claim_id, state, leaving, now_s)

    # --- submissions and jobs ----------------------------------------------------------------

    def submit(
        self, claim_id: str, solution: Solution, builds_on: Sequence[int], now_s: float
    ) -> tuple[Submission, Job]:
        """Store a solution and queue its verification.

        The same solution under the same claim gives the same submission with its verify job; a
        new job is queued only when the last one was cancelled or lost, or showed nothing.

        Raises:
            UnknownClaim: no claim has this id.
            ClaimClosed, ClaimTakenOver: nothing more is accepted under it.
            UnknownSubmission: `builds_on` names a submission that does not exist.
        """
        with self._database.write() as session:
            return submissions.submit(session, claim_id, solution, builds_on, now_s)

    def request_benchmark(self, submission_id: int, now_s: float) -> Job:
        """Queue a benchmark, or return the job there is unless it was cancelled or lost.

        Raises:
            UnknownSubmission: no submission has this id.
        """
        with self._database.write() as session:
            return submissions.request_benchmark(session, submission_id, now_s)

    def start_job(self, job_id: str) -> bool:
        """Move a queued job to running and count the attempt; False when it was not queued."""
        with self._database.write() as session:
            return jobs.start(session, job_id)

    def requeue(self, job_id: str, reason: str) -> bool:
        """Put a running job back into the queue; False when it was not running."""
        with self._database.write() as session:
            return jobs.requeue(session, job_id, reason)

    def cancel_job(self, job_id: str, reason: str, now_s: float) -> bool:
        """Mark an open job as cancelled; False when it had ended already."""
        with self._database.write() as session:
            return jobs.cancel(session, job_id, reason, now_s)

    def lose_job(self, job_id: str, reason: str, now_s: float) -> bool:
        """Mark an open job as lost; False when it had ended already."""
        with self._database.write() as session:
            return jobs.lose(session, job_id, reason, now_s)

    # --- results -----------------------------------------------------------------------------

    def record_verification(
        self,
        submission_id: int,
        job_id: str,
        verification: Verification,
        now_s: float,
        *,
        adherence: Adherence | None = None,
        same_as: int = 0,
    ) -> None:
        """Store the evaluations of every workload and finish the job.

        `adherence`: whether the candidate follows its claim's strategy, where that was judged.
        `same_as`: the submission whose record answered for this one, which was not judged then.
        A job that ended meanwhile (cancelled, lost, or recorded before) leaves no second record.
        """
        with self._database.write() as session:
            verifications.record(
                session, submission_id, job_id, verification, adherence, same_as, now_s
            )

    def record_benchmark(
        self, benchmark: Benchmark, job_id: str, *, promote: Solution | None
    ) -> bool:
        """Store a benchmark, finish its job and, with `promote`, make it the champion.

        False: another champion was promoted since `benchmark.generation`, or the champion or the
        candidate was revoked; nothing was written and the caller duels again. A job that ended
        meanwhile leaves no second record (True).

        Raises:
            ValueError: `promote` is given exactly when the verdict is not *promoted*.
        """
        try:
            with self._database.write() as session:
                benchmarks.record(session, benchmark, job_id, promote)
        except benchmarks.ChampionMoved:
            return False
        return True

    def record_health(self, found: HealthDuel) -> int:
        """Store a duel by which the house watches itself; returns its number on the board."""
        with self._database.write() as session:
            return health.record(session, found)

    def revoke(self, submission_id: int, reason: str) -> tuple[Revocation, bool]:
        """Revoke a submission found out later; a second time changes nothing (False).

        Raises:
            UnknownSubmission: no submission has this id.
        """
        with self._database.write() as session:
            return revocations.revoke(session, submission_id, reason, self._clock())

    def post_conclusion(
        self,
        claim_id: str,
        kind: ConclusionKind,
        note: str,
        reflection: str,
        submission_ids: Sequence[int],
        speedup: float | None,
        now_s: float,
        *,
        measured: Measured | None = None,
    ) -> Conclusion:
        """Post a win or a trap; an identical repeat gives the first row.

        Raises:
            UnknownClaim: no claim has this id.
            UnknownSubmission: a cited submission does not exist.
        """
        cited = tuple(submission_ids)
        told = conclusions.Told(kind, note, reflection, cited, speedup, measured)
        with self._database.write() as session:
            return conclusions.post(session, claim_id, told, now_s)

    # --- tokens ------------------------------------------------------------------------------

    def add_token(self, name: str) -> str:
        """Create a token and return its secret, which is stored as a hash only.

        Raises:
            BadValue: the name is reserved, in use, or not a plain word.
        """
        with self._database.write() as session:
            return tokens.add(session, name, self._clock())

    def revoke_token(self, name: str) -> None:
        """End a token's validity at once; its name may be used again.

        Raises:
            BadValue: no valid token has this name.
        """
        with self._database.write() as session:
            tokens.revoke(session, name, self._clock())
