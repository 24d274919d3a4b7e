"""Views of what was judged before: the same source, or the same machine code, in one campaign.

Only what came to an end counts: a failed verification, or a decision. What ran out of time has not,
nor what was revoked, nor what was compared with a champion that was revoked since. Start at
`known`. Not here: what is answered then (`coordinator.twins`).
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sqlmodel import Session, col, or_, select

from guard.domain.decision import Verdict
from guard.domain.trace import NO_EVIDENCE
from memory.engine import Database
from memory.records import Submission
from memory.rows import revoked_ids
from memory.tables import DecisionRow, EvaluationRow, SubmissionRow, VerificationRow


class Known(NamedTuple):
    """The submissions that were judged before; of several that are the same, the first."""

    by_source: int
    """The one with the same solution; 0: there is none."""
    by_code: Mapping[str, int]
    """By code digest."""


def known(database: Database, submission: Submission) -> Known:
    """What may answer for this submission, itself excepted."""
    digest = submission.solution.digest
    wanted = (
        select(SubmissionRow, VerificationRow, DecisionRow)
        .join(VerificationRow, col(VerificationRow.submission_id) == SubmissionRow.id)
        .outerjoin(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
        .where(SubmissionRow.campaign_id == submission.campaign_id)
        .where(SubmissionRow.id != submission.id, col(VerificationRow.same_as).is_(None))
        .where(or_(SubmissionRow.solution_digest == digest, VerificationRow.code_digest != ""))
        .order_by(col(SubmissionRow.id).desc())
    )
    with database.read() as session:
        revoked = revoked_ids(session, submission.campaign_id)
        failures = _failures(session, submission.campaign_id)
        by_source, by_code = 0, {}
        for row, verification, decision in session.exec(wanted):
            id_ = row.id or 0
            if id_ in revoked or not _ended(decision, failures[id_], revoked):
                continue
            by_code[verification.code_digest] = id_
            by_source = id_ if row.solution_digest == digest else by_source
    by_code.pop("", None)
    return Known(by_source, by_code)


def _ended(decision: DecisionRow | None, failures: set[str], revoked: frozenset[int]) -> bool:
    if decision is None:
        return bool(failures)
    if decision.champion_submission_id in revoked:
        return False
    return decision.verdict != Verdict.REJECTED.value or not failures <= NO_EVIDENCE


def _failures(session: Session, campaign_id: int) -> defaultdict[int, set[str]]:
    """The statuses of every submission besides PASSED, verified or timed."""
    rows = session.exec(
        select(EvaluationRow.submission_id, EvaluationRow.status)
        .join(SubmissionRow, col(SubmissionRow.id) == EvaluationRow.submission_id)
        .where(SubmissionRow.campaign_id == campaign_id, EvaluationRow.status != "PASSED")
        .distinct()
    )
    found: defaultdict[int, set[str]] = defaultdict(set)
    for submission_id, status in rows:
        found[submission_id].add(status)
    return found
