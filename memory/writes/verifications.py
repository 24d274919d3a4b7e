"""Record what a referee said about correctness, and every workload's evaluation.

Start at `record`. Not here: the benchmark's numbers (`benchmarks`).
"""

from collections.abc import Iterable

from sqlmodel import Session

from guard.domain.adherence import Adherence
from guard.domain.trace import Judgement, Verification
from memory.listings import set_apart
from memory.rows import Stage
from memory.tables import AttemptRow, EvaluationRow, VerificationRow
from memory.text import to_text
from memory.writes import jobs
from memory.writes.common import insert, new_fact, require_submission


def record(
    session: Session,
    submission_id: int,
    job_id: str,
    verification: Verification,
    adherence: Adherence | None,
    same_as: int,
    now_s: float,
) -> None:
    """Store a verification and finish its job, unless the job has ended.

    One that showed nothing is stored as an attempt: another one may follow it.
    """
    submission = require_submission(session, submission_id)
    if not jobs.finish(session, job_id, now_s):
        return
    seq = new_fact(session, submission.campaign_id, "verification")
    compiled = set_apart(session, verification.compiled)
    if not verification.conclusive:
        told = to_text(verification.model_copy(update={"compiled": compiled}))
        insert(session, AttemptRow(seq=seq, submission_id=submission_id, verification=told))
        return
    row = VerificationRow(
        submission_id=submission_id,
        seq=seq,
        compiled=to_text(compiled),
        note=verification.note,
        verified_s=now_s,
        adherence=to_text(adherence) if adherence else None,
        sealed=verification.sealed,
        code_digest=verification.compiled.code_digest,
        same_as=same_as or None,
    )
    insert(session, row)
    store_evaluations(session, submission_id, "verify", verification.judgements)


def store_evaluations(
    session: Session, submission_id: int, stage: Stage, judgements: Iterable[Judgement]
) -> None:
    """One row per workload, in order."""
    for judgement in judgements:
        row = EvaluationRow(
            submission_id=submission_id,
            stage=stage,
            workload=judgement.workload,
            status=judgement.evaluation.status,
            body=to_text(judgement.evaluation),
        )
        insert(session, row)
