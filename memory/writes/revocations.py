"""Revoke a submission, once.

Start at `revoke`. Not here: who holds the first place then (`memory.succession`).
"""

from sqlmodel import Session

from memory.records import Revocation
from memory.rows import revocations_of
from memory.tables import RevocationRow
from memory.writes.common import insert, new_fact, require_submission


def revoke(
    session: Session, submission_id: int, reason: str, now_s: float
) -> tuple[Revocation, bool]:
    """Revoke a submission, or return what the first time gave; whether it is new."""
    submission = require_submission(session, submission_id)
    row = session.get(RevocationRow, submission_id)
    new = row is None
    if row is None:
        row = RevocationRow(
            submission_id=submission_id,
            seq=new_fact(session, submission.campaign_id, "revocation"),
            reason=reason,
            revoked_s=now_s,
            campaign_id=submission.campaign_id,
            solution_digest=submission.solution_digest,
        )
        insert(session, row)
    return revocations_of(session, submission.campaign_id, since=row.seq - 1)[0], new
