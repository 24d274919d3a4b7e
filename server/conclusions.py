"""Whether a conclusion is founded on the record: agents tell lessons, the server holds the figures.

    kind × cited submissions -> their best speedup | refused with the record
    best of them × its benchmark -> what was measured, to be stored with the conclusion

Pure: the same submissions give the same answer.

Start at `founded`, then `measured`. Not here: storing (`memory.board`), showing (`show`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from guard.domain.decision import Verdict
from guard.domain.errors import UnfoundedConclusion
from guard.domain.trace import Timed
from guard.instructions import CLASSES
from memory.conclusion import Measured
from memory.records import Benchmark, Campaign, Claim, Submission
from server.show import interval


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
        record = "; ".join(map(_record, cited))
        raise UnfoundedConclusion(f"none was measured faster than the baseline ({record})")
    if kind == "trap":
        _refuse_champions(cited)
    return max((s.speedup.estimate for s in cited if s.speedup and _believed(s)), default=None)


def _refuse_champions(cited: Sequence[Submission]) -> None:
    for submission in cited:
        decision, verification = submission.decision, submission.verification
        if decision is not None and decision.verdict is Verdict.PROMOTED and not submission.revoked:
            raise UnfoundedConclusion(f"{_record(submission)}, and became champion")
        if decision is None and verification is not None and verification.passed:
            raise UnfoundedConclusion(
                f"submission {submission.id} is correct and was never benchmarked"
            )


def best(cited: Sequence[Submission]) -> Submission:
    """The one with the best believed speedup; the first where none was timed and believed."""
    return max(cited, key=lambda s: s.speedup.estimate if s.speedup and _believed(s) else 0.0)


def measured(cited: Submission, benchmark: Benchmark | None, campaign: Campaign) -> Measured:
    """What the record says of a submission, at this moment."""
    report = cited.verification.compiled if cited.verification is not None else None
    held = {name for kernel in (report.instructions if report else ()) for name in kernel.classes}
    timed = benchmark.evaluations.items() if benchmark is not None and _believed(cited) else ()
    return Measured(
        submission_id=cited.id,
        device=campaign.device,
        hardware=campaign.hardware,
        language=cited.solution.language,
        sealed=cited.verification is not None and cited.verification.sealed,
        speedups={
            uuid: evaluation.performance.speedup_factor
            for uuid, evaluation in timed
            if isinstance(evaluation, Timed)
        },
        # Names of the house's own classes, for the report comes from a builder.
        features=tuple(name for name in CLASSES if name in held),
    )


def _record(submission: Submission) -> str:
    """What became of a submission, in few words."""
    verdict = submission.decision.verdict if submission.decision is not None else "not benchmarked"
    told = f"submission {submission.id}: {verdict}"
    if submission.speedup is None:
        return told
    return f"{told}, {interval(submission.speedup, derived=submission.derived)} over the baseline"


def _believed(submission: Submission) -> bool:
    if submission.revoked or submission.decision is None:
        return False
    return submission.decision.verdict.believed


def _faster(submission: Submission) -> bool:
    return _believed(submission) and submission.speedup is not None and submission.speedup.low > 1
