"""Views of what was judged before: the same source, or the same machine code, in one campaign.

Only what came to an end counts: a failed verification, or a decision. What ran out of time has not,
nor what was revoked, nor what was compared with a champion that was revoked since. Start at
`known`. Not here: what is answered then (`coordinator.twins`).
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select
from sqlmodel import Session, col, select

from guard.domain.decision import Verdict
from guard.domain.trace import NO_EVIDENCE
from memory.engine import Database
from memory.records import Submission
from memory.rows import revoked_ids
from memory.tables import DecisionRow, EvaluationRow, SubmissionRow, VerificationRow

CODES = 2048
"""Newest submissions of a campaign that are looked at for their machine code; by its source any is
found, and by one given code."""


class Known(NamedTuple):
    """The submissions that were judged before; of several that are the same, the first."""

    by_source: int
    """The one with the same solution; 0: there is none."""
    by_code: Mapping[str, int]
    """By code digest."""


def known(database: Database, submission: Submission, code: str = "") -> Known:
    """What may answer for this submission, itself excepted; `code`: of machine code only this."""
    source = col(SubmissionRow.solution_digest) == submission.solution.digest
    digest = col(VerificationRow.code_digest)
    with database.read() as session:
        sources = _judged(session, submission, source)
        codes = _judged(session, submission, digest == code if code else digest != "")
    return Known(sources[-1][0] if sources else 0, {code: id_ for id_, code in codes})


def is_handed_in(database: Database, claim_id: str, digest: str) -> bool:
    """Whether a solution was handed in under this claim."""
    wanted = select(SubmissionRow.id).where(
        SubmissionRow.claim_id == claim_id, SubmissionRow.solution_digest == digest
    )
    with database.read() as session:
        return session.exec(wanted).first() is not None


def _judged(
    session: Session, submission: Submission, condition: ColumnElement[bool]
) -> list[tuple[int, str]]:
    """The newest others that came to an end and still count, newest first, with their code."""
    campaign_id = submission.campaign_id
    among = (
        select(SubmissionRow.id)
        .join(VerificationRow, col(VerificationRow.submission_id) == SubmissionRow.id)
        .where(SubmissionRow.campaign_id == campaign_id, SubmissionRow.id != submission.id)
        .where(col(VerificationRow.same_as).is_(None), condition)
        .order_by(col(SubmissionRow.id).desc())
        .limit(CODES)
    )
    wanted = (
        select(
            VerificationRow.submission_id,
            VerificationRow.code_digest,
            DecisionRow.verdict,
            DecisionRow.champion_submission_id,
        )
        .outerjoin(DecisionRow, col(DecisionRow.submission_id) == VerificationRow.submission_id)
        .where(col(VerificationRow.submission_id).in_(among))
        .order_by(col(VerificationRow.submission_id).desc())
    )
    revoked = revoked_ids(session, campaign_id)
    failures = _failures(session, among)
    return [
        (id_, code)
        for id_, code, verdict, champion in session.exec(wanted)
        if id_ not in revoked and _ended(verdict, champion, failures[id_], revoked)
    ]


def _ended(
    verdict: str | None, champion: int | None, failures: set[str], revoked: frozenset[int]
) -> bool:
    if verdict is None:
        return bool(failures)
    if champion in revoked:
        return False
    return verdict != Verdict.REJECTED.value or not failures <= NO_EVIDENCE


def _failures(session: Session, among: Select[Any]) -> defaultdict[int, set[str]]:
    """The statuses of these submissions besides PASSED, verified or timed."""
    rows = session.exec(
        select(EvaluationRow.submission_id, EvaluationRow.status)
        .where(col(EvaluationRow.submission_id).in_(among), EvaluationRow.status != "PASSED")
        .distinct()
    )
    found: defaultdict[int, set[str]] = defaultdict(set)
    for submission_id, status in rows:
        found[submission_id].add(status)
    return found
