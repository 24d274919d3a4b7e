"""What every subject needs: unguessable ids, numbered facts, rows that must exist.

Start at `new_fact`. Nothing here commits.
"""

import secrets
from typing import Literal

from sqlalchemy.sql.dml import Update
from sqlmodel import Session

from guard.domain.errors import UnknownClaim, UnknownSubmission
from memory.base import Row
from memory.tables import ClaimRow, FactRow, SubmissionRow

FactKind = Literal[
    "claim",
    "submission",
    "verification",
    "decision",
    "conclusion",
    "revocation",
    "health",
    "campaign",
]


def new_id(prefix: str) -> str:
    """An id that cannot be guessed: 96 random bits after the prefix."""
    return prefix + secrets.token_urlsafe(12)


def insert(session: Session, row: Row) -> None:
    """Send one row now, so that rows arrive in the order in which they refer to each other."""
    session.add(row)
    session.flush()


def new_fact(session: Session, campaign_id: int, kind: FactKind) -> int:
    """Take the next number of the board's sequence."""
    fact = FactRow(campaign_id=campaign_id, kind=kind)
    insert(session, fact)
    return fact.seq or 0


def moved(session: Session, statement: Update) -> bool:
    """Whether a conditional update found its row in the expected state, and changed it."""
    return session.exec(statement).rowcount == 1


def require_claim(session: Session, claim_id: str) -> ClaimRow:
    """The claim's row, or `UnknownClaim`."""
    row = session.get(ClaimRow, claim_id)
    if row is None:
        raise UnknownClaim(claim_id)
    return row


def require_submission(session: Session, submission_id: int) -> SubmissionRow:
    """The submission's row, or `UnknownSubmission`."""
    row = session.get(SubmissionRow, submission_id)
    if row is None:
        raise UnknownSubmission(submission_id)
    return row
