"""The champion of a campaign, from the facts: for readers, and for a write that must not be late.

    promotions, acceptances, revocations -> `succession` -> Champion

Start at `champion_of`. Not here: the rule of succession (`succession`).
"""

from sqlmodel import Session, col, func, select

from guard.domain.decision import Policy, Verdict
from memory.kept import keep
from memory.records import Champion
from memory.rows import campaigns_of, require_campaign, submissions_of
from memory.succession import BASELINE, Standing, holder, may_succeed, untainted
from memory.tables import CampaignRow, DecisionRow, PromotionRow, RevocationRow, SubmissionRow
from memory.text import load_solutions

_BACKUPS = (Verdict.PROMOTED.value, Verdict.ACCEPTED.value)


def champion_of(session: Session, campaign_id: int) -> Champion:
    """The holder of the first place; the baseline when no submission holds it.

    Raises:
        LookupError: no campaign has this id.
    """
    campaign = require_campaign(session, campaign_id)
    newest = select(PromotionRow).where(PromotionRow.campaign_id == campaign_id)
    promotion = session.exec(newest.order_by(col(PromotionRow.generation).desc())).first()
    generation = promotion.generation if promotion is not None else 0
    holding = promotion.submission_id if promotion is not None else BASELINE
    revoked = _revoked_at(session, campaign_id)
    # Who was promoted last and is not revoked holds the place, whatever was revoked around it; only
    # a fallen champion makes it necessary to look through the whole campaign for a successor.
    if promotion is not None and promotion.solution_digest in revoked:
        holding = holder(_standings(session, campaign_id), revoked)
    # Who holds the place is looked up each time; what it is never changes.
    return keep(
        session,
        ("champion", campaign_id, generation, holding),
        lambda: _champion(session, campaign, generation, holding),
    )


def _champion(session: Session, campaign: CampaignRow, generation: int, holding: int) -> Champion:
    if holding == BASELINE:
        solution = load_solutions(session, [campaign.baseline_digest])[campaign.baseline_digest]
        return Champion(submission_id=0, generation=generation, solution=solution, speedup=None)
    (found,) = submissions_of(session, [session.get_one(SubmissionRow, holding)])
    return Champion(
        submission_id=found.id,
        generation=generation,
        solution=found.solution,
        speedup=found.speedup,
        derived=found.derived,
        agent=found.agent,
    )


def _revoked_at(session: Session, campaign_id: int) -> dict[str, int]:
    """The digests that were revoked, each with when that was first recorded."""
    rows = session.exec(
        select(RevocationRow.solution_digest, func.min(RevocationRow.seq))
        .where(RevocationRow.campaign_id == campaign_id)
        .group_by(col(RevocationRow.solution_digest))
    )
    return dict(row for row in rows)


def _standings(session: Session, campaign_id: int) -> list[Standing]:
    (campaign,) = campaigns_of(session, [require_campaign(session, campaign_id)])
    policy: Policy = campaign.policy
    rows = session.exec(
        select(SubmissionRow, DecisionRow)
        .join(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
        .where(SubmissionRow.campaign_id == campaign_id, col(DecisionRow.verdict).in_(_BACKUPS))
    ).all()
    everything = session.exec(select(SubmissionRow).where(SubmissionRow.campaign_id == campaign_id))
    clean = untainted(submissions_of(session, everything.all()))
    backups = submissions_of(session, [row for row, _ in rows])
    return [
        Standing(
            seq=decision.seq,
            submission_id=submission.id,
            digest=submission.solution.digest,
            promoted=decision.verdict == Verdict.PROMOTED.value,
            speedup=decision.speedup,
            eligible=submission.id in clean
            and may_succeed(submission, policy, admitted=not campaign.baseline.loose),
        )
        for submission, (_, decision) in zip(backups, rows, strict=True)
    ]
