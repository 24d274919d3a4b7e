"""Add to a campaign's course: its events, what an order cost, what an agent was shown.

Start at `move`. Not here: when a campaign is stopped (`coordinator.limits`).
"""

from collections.abc import Sequence

from sqlalchemy import update
from sqlmodel import Session, col, select

from guard.domain.spent import Spent
from memory.course import CampaignEventKind, Course, course_of
from memory.course_tables import CampaignEventRow, ReadingRow, SpendingRow
from memory.records import ClaimState
from memory.rows import require_campaign
from memory.tables import ClaimRow, ConclusionRow, JobRow
from memory.writes.common import insert, new_fact


def move(
    session: Session, campaign_id: int, kind: CampaignEventKind, detail: str, now_s: float
) -> bool:
    """Note an event; False, and nothing noted, where it stands so already or has ended."""
    campaign = require_campaign(session, campaign_id)
    standing = course_of(session, campaign_id)
    if campaign.ended_s is not None or not _changes(standing, kind):
        return False
    if kind == "resumed" and standing.pause is not None:
        _keep_claims(session, campaign_id, standing.pause.at_s, now_s)
    row = CampaignEventRow(
        seq=new_fact(session, campaign_id, "campaign"),
        campaign_id=campaign_id,
        kind=kind,
        at_s=now_s,
        detail=detail,
    )
    insert(session, row)
    return True


def book(
    session: Session, campaign_id: int, job_id: str, ordered: str, spent: Spent, now_s: float
) -> None:
    """Note what one order cost; what is no job on the board is the house's own."""
    known = session.exec(select(JobRow.id).where(JobRow.id == job_id)).first()
    row = SpendingRow(
        campaign_id=campaign_id,
        job_id=known,
        ordered=ordered,
        at_s=now_s,
        **spent.model_dump(),
    )
    insert(session, row)


def show(session: Session, claim_id: str, conclusions: Sequence[int], now_s: float) -> None:
    """Note which conclusions a claim's agent was shown; each counts once."""
    wanted = select(ReadingRow.conclusion_seq).where(ReadingRow.claim_id == claim_id)
    known = set(session.exec(wanted))
    for seq in sorted(set(conclusions) - known):
        if session.get(ConclusionRow, seq) is not None:
            insert(session, ReadingRow(claim_id=claim_id, conclusion_seq=seq, at_s=now_s))


def _changes(standing: Course, kind: CampaignEventKind) -> bool:
    if kind == "stopped":
        return standing.stopped is None
    return (kind == "paused") != (standing.pause is not None)


def _keep_claims(session: Session, campaign_id: int, paused_s: float, now_s: float) -> None:
    """Give the claims that lived when the pause began what was left of their leases then."""
    session.exec(
        update(ClaimRow)
        .where(
            col(ClaimRow.campaign_id) == campaign_id,
            col(ClaimRow.state) == ClaimState.LIVE.value,
            col(ClaimRow.expires_s) > paused_s,
        )
        .values(expires_s=ClaimRow.expires_s + (now_s - paused_s))
    )
