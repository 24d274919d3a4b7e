"""Start and end campaigns.

Start at `start`. Not here: measuring the baseline that a campaign starts from (`coordinator`).
"""

from sqlalchemy import update
from sqlmodel import Session, col, select

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.trace import Baseline
from memory.records import Campaign, ClaimState
from memory.rows import campaigns_of
from memory.tables import CampaignRow, ClaimRow
from memory.text import store_solution, to_text
from memory.writes import claims
from memory.writes.common import insert


def start(
    session: Session,
    problem: Problem,
    device: str,
    hardware: str,
    policy: Policy,
    baseline: Baseline,
    now_s: float,
) -> Campaign:
    """Start a campaign, or return the open one on this problem and device."""
    row = session.exec(
        select(CampaignRow).where(
            CampaignRow.problem_name == problem.name,
            CampaignRow.device == device,
            col(CampaignRow.ended_s).is_(None),
        )
    ).first()
    if row is None:
        row = CampaignRow(
            problem_name=problem.name,
            device=device,
            hardware=hardware,
            problem=to_text(problem),
            policy=to_text(policy),
            baseline=to_text(baseline.model_dump(exclude={"solution"})),
            baseline_digest=store_solution(session, baseline.solution),
            started_s=now_s,
        )
        insert(session, row)
    return campaigns_of(session, [row])[0]


def end(session: Session, campaign_id: int, now_s: float) -> None:
    """End a campaign and abandon its live claims."""
    session.exec(
        update(CampaignRow)
        .where(col(CampaignRow.id) == campaign_id, col(CampaignRow.ended_s).is_(None))
        .values(ended_s=now_s)
    )
    live = select(ClaimRow).where(
        ClaimRow.campaign_id == campaign_id, ClaimRow.state == ClaimState.LIVE.value
    )
    for row in session.exec(live).all():
        leaving = claims.Leaving("the campaign ended")
        claims.move(session, row, ClaimState.ABANDONED, leaving, now_s)
