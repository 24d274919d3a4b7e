"""Views of how the house watches itself: its own duels, and how far a campaign's duels are.

Like all views: one function, one consistent snapshot, frozen records. Start at `health_duels`.
Not here: what agents did (`views`), when such a duel is due (`coordinator.health`).
"""

from typing import NamedTuple, get_args

from pydantic_core import from_json
from sqlalchemy import case
from sqlmodel import col, func, select

from guard.domain.decision import Policy
from memory.engine import Database
from memory.records import HealthDuel, HealthKind, HealthTotals, Tally
from memory.tables import CampaignRow, DecisionRow, HealthRow, PromotionRow, SubmissionRow


class OpenCampaign(NamedTuple):
    """A campaign that goes on, without what is large about it."""

    id: int
    problem: str
    device: str
    policy: Policy
    newest: int
    """The number of its newest health duel, 0 when there is none."""


def health_duels(database: Database, campaign_id: int) -> tuple[HealthDuel, ...]:
    """All of a campaign, oldest first."""
    wanted = (
        select(HealthRow).where(HealthRow.campaign_id == campaign_id).order_by(col(HealthRow.seq))
    )
    with database.read() as session:
        return tuple(map(_health_of, session.exec(wanted)))


def open_campaigns(database: Database) -> tuple[OpenCampaign, ...]:
    """The campaigns that go on, with the rule that sigma is taken by."""
    wanted = select(
        CampaignRow.id, CampaignRow.problem_name, CampaignRow.device, CampaignRow.policy
    ).where(col(CampaignRow.ended_s).is_(None))
    newest = select(HealthRow.campaign_id, func.max(HealthRow.seq)).group_by(
        col(HealthRow.campaign_id)
    )
    with database.read() as session:
        fought = {campaign_id: seq for campaign_id, seq in session.exec(newest)}
        return tuple(
            OpenCampaign(
                id_ or 0,
                problem,
                device,
                Policy.model_validate_json(policy),
                fought.get(id_ or 0, 0),
            )
            for id_, problem, device, policy in session.exec(wanted)
        )


def health_totals(database: Database) -> tuple[HealthTotals, ...]:
    """How many of each kind were fought, and went wrong, over all campaigns."""
    wrong = func.sum(case((col(HealthRow.wrong), 1), else_=0))
    wanted = select(HealthRow.kind, func.count(), wrong).group_by(col(HealthRow.kind))
    with database.read() as session:
        found = {kind: (fought, missed) for kind, fought, missed in session.exec(wanted)}
    kinds: tuple[HealthKind, ...] = get_args(HealthKind)
    return tuple(
        HealthTotals(kind=kind, fought=fought, wrong=missed)
        for kind in kinds
        for fought, missed in (found.get(kind, (0, 0)),)
    )


def tally(database: Database, campaign_id: int) -> Tally:
    """How many decisions and promotions a campaign has seen."""
    terms = (
        select(DecisionRow.terms)
        .join(SubmissionRow, col(SubmissionRow.id) == DecisionRow.submission_id)
        .where(SubmissionRow.campaign_id == campaign_id)
    )
    promotions = (
        select(func.count())
        .select_from(PromotionRow)
        .where(PromotionRow.campaign_id == campaign_id)
    )
    with database.read() as session:
        decided = session.exec(terms).all()
        numbers = [from_json(told)["number"] for told in decided if told]
        return Tally(
            decisions=len(decided),
            promotions=session.exec(promotions).one(),
            last_number=max(numbers, default=0),
        )


def decision_seqs(database: Database, campaign_id: int) -> dict[int, int]:
    """When each submission of a campaign was decided: its number on the board."""
    wanted = (
        select(DecisionRow.submission_id, DecisionRow.seq)
        .join(SubmissionRow, col(SubmissionRow.id) == DecisionRow.submission_id)
        .where(SubmissionRow.campaign_id == campaign_id)
    )
    with database.read() as session:
        return dict(row for row in session.exec(wanted))


def _health_of(row: HealthRow) -> HealthDuel:
    return HealthDuel.model_validate({**from_json(row.body), "seq": row.seq})
