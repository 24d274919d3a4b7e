"""Jobs: work that the server owns, so that it outlives the call that asked for it.

    queued <─> running ─> done | cancelled | lost       (`JobState.may_become`)

Every move is one conditional update, so of two that end a job only the first does. Start at
`queue`. Not here: doing the work (`coordinator.pipeline`).
"""

from typing import Literal

from sqlalchemy import update
from sqlmodel import Session, col, select

from guard.domain.errors import UnknownJob
from memory.records import JobState
from memory.tables import JobRow, SubmissionRow
from memory.writes.common import insert, moved, new_id

JobKind = Literal["verify", "benchmark"]


def current(session: Session, kind: JobKind, submission_id: int) -> JobRow | None:
    """The newest job of this kind that is open or done; cancelled and lost ones do not count."""
    ended_early = [JobState.CANCELLED.value, JobState.LOST.value]
    return session.exec(
        select(JobRow)
        .where(
            JobRow.kind == kind,
            JobRow.submission_id == submission_id,
            col(JobRow.state).not_in(ended_early),
        )
        .order_by(col(JobRow.number).desc())
    ).first()


def queue(session: Session, kind: JobKind, submission: SubmissionRow, now_s: float) -> JobRow:
    """Queue a new job."""
    row = JobRow(
        id=new_id("j_"),
        kind=kind,
        submission_id=submission.id or 0,
        claim_id=submission.claim_id,
        state=JobState.QUEUED.value,
        created_s=now_s,
    )
    insert(session, row)
    return row


def start(session: Session, job_id: str) -> bool:
    """Move a queued job to running and count the attempt."""
    return _move(session, job_id, JobState.RUNNING, attempts=JobRow.attempts + 1)


def requeue(session: Session, job_id: str, reason: str) -> bool:
    """Put a running job back into the queue."""
    return _move(session, job_id, JobState.QUEUED, reason=reason)


def finish(session: Session, job_id: str, now_s: float) -> bool:
    """Mark an open job as done."""
    return _move(session, job_id, JobState.DONE, reason="", finished_s=now_s)


def cancel(session: Session, job_id: str, reason: str, now_s: float) -> bool:
    """Mark an open job as cancelled."""
    return _move(session, job_id, JobState.CANCELLED, reason=reason, finished_s=now_s)


def lose(session: Session, job_id: str, reason: str, now_s: float) -> bool:
    """Mark an open job as lost."""
    return _move(session, job_id, JobState.LOST, reason=reason, finished_s=now_s)


def _move(session: Session, job_id: str, state: JobState, **values: object) -> bool:
    origins = [origin.value for origin in JobState if origin.may_become(state)]
    done = moved(
        session,
        update(JobRow)
        .where(col(JobRow.id) == job_id, col(JobRow.state).in_(origins))
        .values(state=state.value, **values),
    )
    if not done and session.exec(select(JobRow).where(JobRow.id == job_id)).first() is None:
        raise UnknownJob(job_id)
    return done
