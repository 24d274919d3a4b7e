"""Turn rows into the frozen records that callers see.

    row (+ its solution, evaluations…) -> record

Start at `submissions_of`: a submission is the one record made of many rows. Nothing is written
here. Not here: which rows a question needs (`views`), how values become text (`text`).
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import TypeAdapter
from pydantic_core import from_json
from sqlmodel import Session, col, select

from guard.domain.adherence import Adherence
from guard.domain.decision import Decision, Interval, Policy, Terms
from guard.domain.problem import Problem
from guard.domain.trace import (
    Baseline,
    CompileReport,
    Duel,
    Evaluation,
    Judgement,
    Verification,
)
from memory.conclusion import Conclusion
from memory.kept import keep
from memory.records import (
    Benchmark,
    Campaign,
    Claim,
    ClaimEvent,
    Job,
    Revocation,
    Submission,
)
from memory.tables import (
    AttemptRow,
    CampaignRow,
    ClaimEventRow,
    ClaimRow,
    ConclusionRow,
    DecisionRow,
    EvaluationRow,
    JobRow,
    RevocationRow,
    SubmissionRow,
    VerificationRow,
)
from memory.text import load_solutions

Stage = Literal["verify", "benchmark"]
_EVALUATION: TypeAdapter[Evaluation] = TypeAdapter(Evaluation)


def require_campaign(session: Session, campaign_id: int) -> CampaignRow:
    """The campaign's row, or LookupError."""
    row = session.get(CampaignRow, campaign_id)
    if row is None:
        raise LookupError(f"no campaign has the id {campaign_id}")
    return row


def campaigns_of(session: Session, rows: Sequence[CampaignRow]) -> tuple[Campaign, ...]:
    """Campaigns with their baselines' solutions."""
    return tuple(_campaign(session, row) for row in rows)


def _campaign(session: Session, row: CampaignRow) -> Campaign:
    # All of it was fixed when it started, but for its end.
    started = keep(session, ("campaign", row.id), lambda: _started(session, row))
    ended = {"ended_s": row.ended_s}
    return started.model_copy(update=ended) if row.ended_s is not None else started


def _started(session: Session, row: CampaignRow) -> Campaign:
    solution = load_solutions(session, [row.baseline_digest])[row.baseline_digest]
    return Campaign(
        id=row.id or 0,
        problem=Problem.model_validate_json(row.problem),
        device=row.device,
        hardware=row.hardware,
        policy=Policy.model_validate_json(row.policy),
        baseline=Baseline.model_validate({**from_json(row.baseline), "solution": solution}),
        started_s=row.started_s,
    )


def claim_of(row: ClaimRow) -> Claim:
    """One claim."""
    return Claim.model_validate(
        row.model_dump(exclude={"seq"}) | {"parents": from_json(row.parents)}
    )


def event_of(row: ClaimEventRow) -> ClaimEvent:
    """One entry of a claim's history."""
    return ClaimEvent.model_validate(row.model_dump())


def job_of(row: JobRow) -> Job:
    """One job."""
    return Job.model_validate(row.model_dump(exclude={"number"}))


def revoked_digests(session: Session, campaign_id: int) -> dict[str, str]:
    """The solutions that were revoked in a campaign, each with the first reason given."""
    rows = session.exec(
        select(RevocationRow.solution_digest, RevocationRow.reason)
        .where(RevocationRow.campaign_id == campaign_id)
        .order_by(col(RevocationRow.seq).desc())
    )
    return dict(row for row in rows)


def revoked_ids(session: Session, campaign_id: int) -> frozenset[int]:
    """The submissions of a campaign whose solution was revoked, under whatever claim."""
    digests = revoked_digests(session, campaign_id)
    wanted = select(SubmissionRow.id).where(
        SubmissionRow.campaign_id == campaign_id, col(SubmissionRow.solution_digest).in_(digests)
    )
    return frozenset(id_ for id_ in session.exec(wanted) if id_ is not None)


def revocations_of(session: Session, campaign_id: int, since: int = 0) -> tuple[Revocation, ...]:
    """The revocations of a campaign after `since`, oldest first."""
    rows = session.exec(
        select(RevocationRow, ClaimRow.agent)
        .join(SubmissionRow, col(SubmissionRow.id) == RevocationRow.submission_id)
        .join(ClaimRow, col(ClaimRow.id) == SubmissionRow.claim_id)
        .where(RevocationRow.campaign_id == campaign_id, col(RevocationRow.seq) > since)
        .order_by(col(RevocationRow.seq))
    )
    of_submission = {"campaign_id", "solution_digest"}
    return tuple(
        Revocation.model_validate({**row.model_dump(exclude=of_submission), "agent": agent})
        for row, agent in rows
    )


def conclusion_of(
    row: ConclusionRow, overturned: tuple[str, ...] = (), times: int = 0
) -> Conclusion:
    """One conclusion; `times`: how often it was told by now, where that is known."""
    return Conclusion.model_validate(
        {
            **row.model_dump(exclude={"fingerprint"}),
            "submission_ids": from_json(row.submission_ids),
            "measured": from_json(row.measured) if row.measured else None,
            "overturned": overturned,
            "repeats": row.repeats or 0,
            "against": row.against or 0,
            "times": times or row.times,
        }
    )


def speedup_of(row: DecisionRow) -> Interval:
    """The speedup over the baseline of one benchmark."""
    return Interval(estimate=row.speedup, low=row.speedup_low, high=row.speedup_high)


def benchmarks_of(session: Session, rows: Sequence[DecisionRow]) -> tuple[Benchmark, ...]:
    """Benchmarks with their evaluations."""
    evaluations = _evaluations(session, [row.submission_id for row in rows], "benchmark")
    return tuple(
        Benchmark(
            submission_id=row.submission_id,
            over_baseline=Duel.model_validate_json(row.over_baseline),
            over_champion=Duel.model_validate_json(row.over_champion or row.over_baseline),
            decision=Decision.model_validate_json(row.decision),
            terms=Terms.model_validate_json(row.terms) if row.terms else None,
            speedup=speedup_of(row),
            derived=row.derived,
            evaluations={j.workload: j.evaluation for j in evaluations[row.submission_id]},
            champion_submission_id=row.champion_submission_id or 0,
            generation=row.generation,
            decided_s=row.decided_s,
            progress=row.progress,
        )
        for row in rows
    )


def submissions_of(session: Session, rows: Sequence[SubmissionRow]) -> tuple[Submission, ...]:
    """Submissions with all that became of them, in the given order."""
    ids = [row.id or 0 for row in rows]
    claims = {
        claim.id: claim
        for claim in session.exec(
            select(ClaimRow).where(col(ClaimRow.id).in_({row.claim_id for row in rows}))
        )
    }
    solutions = load_solutions(session, (row.solution_digest for row in rows))
    verifications = _verifications(session, ids)
    adherences = adherences_of(session, ids)
    same = _same_as(session, ids)
    revoked = {
        campaign_id: revoked_digests(session, campaign_id)
        for campaign_id in {row.campaign_id for row in rows}
    }
    decisions = {
        row.submission_id: row
        for row in session.exec(select(DecisionRow).where(col(DecisionRow.submission_id).in_(ids)))
    }
    return tuple(
        Submission(
            id=id_,
            campaign_id=row.campaign_id,
            claim_id=row.claim_id,
            agent=claims[row.claim_id].agent,
            strategy=claims[row.claim_id].strategy,
            lane=claims[row.claim_id].lane,
            solution=solutions[row.solution_digest],
            builds_on=tuple(from_json(row.builds_on)),
            submitted_s=row.submitted_s,
            verification=verifications.get(id_),
            adherence=adherences.get(id_),
            same_as=same.get(id_, 0),
            decision=Decision.model_validate_json(d.decision) if d else None,
            speedup=speedup_of(d) if d else None,
            derived=d.derived if d else False,
            revoked=revoked[row.campaign_id].get(row.solution_digest, ""),
        )
        for id_, row, d in zip(ids, rows, map(decisions.get, ids), strict=True)
    )


def adherences_of(session: Session, ids: Sequence[int]) -> dict[int, Adherence]:
    """Of those submissions that were judged: whether they follow their strategy."""
    rows = session.exec(
        select(VerificationRow.submission_id, VerificationRow.adherence).where(
            col(VerificationRow.submission_id).in_(ids)
        )
    )
    return {id_: Adherence.model_validate_json(text) for id_, text in rows if text}


def _same_as(session: Session, ids: Sequence[int]) -> dict[int, int]:
    rows = session.exec(
        select(VerificationRow.submission_id, VerificationRow.same_as).where(
            col(VerificationRow.submission_id).in_(ids)
        )
    )
    return {id_: same_as for id_, same_as in rows if same_as is not None}


def _verifications(session: Session, ids: Sequence[int]) -> dict[int, Verification]:
    evaluations = _evaluations(session, ids, "verify")
    rows = session.exec(select(VerificationRow).where(col(VerificationRow.submission_id).in_(ids)))
    attempts = session.exec(
        select(AttemptRow)
        .where(col(AttemptRow.submission_id).in_(ids))
        .order_by(col(AttemptRow.seq))
    )
    # What was found out stands before what showed nothing; of the latter the newest is told.
    newest = {row.submission_id: row.verification for row in attempts}
    found = {id_: Verification.model_validate(from_json(told)) for id_, told in newest.items()}
    return found | {
        row.submission_id: Verification(
            compiled=CompileReport.model_validate_json(row.compiled),
            judgements=tuple(evaluations[row.submission_id]),
            note=row.note,
            sealed=row.sealed,
        )
        for row in rows
    }


def _evaluations(
    session: Session, ids: Sequence[int], stage: Stage
) -> defaultdict[int, list[Judgement]]:
    rows = session.exec(
        select(EvaluationRow)
        .where(col(EvaluationRow.submission_id).in_(ids), col(EvaluationRow.stage) == stage)
        .order_by(col(EvaluationRow.id))
    )
    found: defaultdict[int, list[Judgement]] = defaultdict(list)
    for row in rows:
        evaluation = _EVALUATION.validate_json(row.body)
        found[row.submission_id].append(Judgement(workload=row.workload, evaluation=evaluation))
    return found
