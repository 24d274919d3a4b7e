"""Hand in solutions and ask for their benchmarks: the same request gives the same answer.

Start at `submit`.
"""

from collections.abc import Sequence

from sqlmodel import Session, select

from guard.domain.solution import Solution
from memory.records import ClaimState, Job, JobState, Submission
from memory.rows import job_of, submissions_of
from memory.tables import ClaimRow, JobRow, SubmissionRow, VerificationRow
from memory.text import store_solution, to_text
from memory.writes import jobs
from memory.writes.claims import refuse_unless_live
from memory.writes.common import insert, new_fact, require_claim, require_submission


def submit(
    session: Session, claim_id: str, solution: Solution, builds_on: Sequence[int], now_s: float
) -> tuple[Submission, Job]:
    """Store a solution and queue its verification, or return what the first time gave."""
    claim = require_claim(session, claim_id)
    row = session.exec(
        select(SubmissionRow).where(
            SubmissionRow.claim_id == claim_id, SubmissionRow.solution_digest == solution.digest
        )
    ).first()
    job = _verification(session, claim, row) if row else None
    # An answer that was given stays true under a closed claim; new work needs a live one.
    if job is None:
        refuse_unless_live(session, claim)
    row = row or _hand_in(session, claim, solution, builds_on, now_s)
    job = job or jobs.queue(session, "verify", row, now_s)
    return submissions_of(session, [row])[0], job_of(job)


def request_benchmark(session: Session, submission_id: int, now_s: float) -> Job:
    """Queue a benchmark, or return the job there is."""
    row = require_submission(session, submission_id)
    job = jobs.current(session, "benchmark", submission_id)
    return job_of(job or jobs.queue(session, "benchmark", row, now_s))


def _verification(session: Session, claim: ClaimRow, row: SubmissionRow) -> JobRow | None:
    """The job there is, unless it ended without showing anything and another may be queued."""
    job = jobs.current(session, "verify", row.id or 0)
    if job is None or job.state != JobState.DONE or claim.state != ClaimState.LIVE:
        return job
    return job if session.get(VerificationRow, row.id) is not None else None


def _hand_in(
    session: Session, claim: ClaimRow, solution: Solution, builds_on: Sequence[int], now_s: float
) -> SubmissionRow:
    for parent in builds_on:
        require_submission(session, parent)
    row = SubmissionRow(
        seq=new_fact(session, claim.campaign_id, "submission"),
        campaign_id=claim.campaign_id,
        claim_id=claim.id,
        solution_digest=store_solution(session, solution),
        builds_on=to_text(list(builds_on)),
        submitted_s=now_s,
    )
    insert(session, row)
    return row
