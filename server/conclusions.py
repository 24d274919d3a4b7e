"""Whether a conclusion is founded on the record: agents tell lessons, the server holds the figures.

Pure: the same submissions give the same answer.

Start at `founded`. Not here: storing (`memory.board`), showing (`show`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from guard.domain.decision import Verdict
from guard.domain.errors import UnfoundedConclusion
from memory.records import Claim, Submission


@dataclass(frozen=True)
class Told:
    """What an agent wants to tell."""

    kind: Literal["win", "trap"]
    note: str
    reflection: str


def founded(
    kind: Literal["win", "trap"], cited: Sequence[Submission], claim: Claim
) -> float | None:
    """The best believed speedup over the baseline among the cited submissions, or None.

    A win cites at least one submission that was measured faster than the baseline, with its whole
    interval. A trap cites only submissions that were judged and none that became champion.

    Raises:
        UnfoundedConclusion: nothing is cited, it is not this claim's, or the record contradicts.
    """
    if not cited:
        raise UnfoundedConclusion("it cites no submission")
    for submission in cited:
        if submission.claim_id != claim.id:
            raise UnfoundedConclusion(f"submission {submission.id} was not made under this claim")
        if submission.same_as:
            raise UnfoundedConclusion(
                f"submission {submission.id} was not judged: it is the same as {submission.same_as}"
            )
        if submission.verification is None or not submission.verification.conclusive:
            raise UnfoundedConclusion(f"submission {submission.id} has not been judged yet")
    if kind == "win" and not any(map(_faster, cited)):
        raise UnfoundedConclusion("none of the cited submissions was measured faster than baseline")
    if kind == "trap":
        _refuse_champions(cited)
    return max((s.speedup.estimate for s in cited if s.speedup and _believed(s)), default=None)


def _refuse_champions(cited: Sequence[Submission]) -> None:
    for submission in cited:
        decision, verification = submission.decision, submission.verification
        if decision is not None and decision.verdict is Verdict.PROMOTED and not submission.revoked:
            raise UnfoundedConclusion(f"submission {submission.id} was promoted to champion")
        if decision is None and verification is not None and verification.passed:
            raise UnfoundedConclusion(
                f"submission {submission.id} is correct and was never benchmarked"
            )


def _believed(submission: Submission) -> bool:
    if submission.revoked or submission.decision is None:
        return False
    return submission.decision.verdict.believed


def _faster(submission: Submission) -> bool:
    return _believed(submission) and submission.speedup is not None and submission.speedup.low > 1
