"""Claims: who is on which strategy, decided by unique indexes.

`take` frees what has expired, then simply inserts; when another live claim is in the way, the
database refuses the row and the whole transaction is undone.

    live ─> exhausted | done | abandoned | taken_over       (`ClaimState.may_become`)

Start at `take`. Not here: which strategy to take (`coordinator.diversify`).
"""

import json
from dataclasses import asdict, dataclass

from sqlalchemy import and_, func, or_, update
from sqlalchemy.sql.dml import Update
from sqlmodel import Session, col, select

from guard.domain.errors import CampaignClosed, ClaimClosed, ClaimTakenOver
from memory.records import Claim, ClaimState
from memory.rows import claim_of, require_campaign
from memory.tables import LIVE_STATE, ClaimEventRow, ClaimRow
from memory.writes.common import insert, moved, new_fact, new_id, require_claim


@dataclass(frozen=True)
class Wanted:
    """What a new claim is on, and whose it is."""

    campaign_id: int
    strategy: str
    lane: str
    token: str
    agent: str
    reason: str
    phase: str = ""
    parents: tuple[int, ...] = ()


@dataclass(frozen=True)
class Leaving:
    """Why a claim ends, and what its agent said it spent."""

    detail: str
    model: str = ""
    tokens: int = 0
    cost_usd: float = 0.0


def take(session: Session, wanted: Wanted, *, lease_s: float, now_s: float) -> Claim:
    """Insert a live claim; the unique indexes raise IntegrityError when it is not free."""
    campaign = require_campaign(session, wanted.campaign_id)
    if campaign.ended_s is not None:
        raise CampaignClosed(campaign.problem_name, campaign.device)
    _free_expired(session, wanted, now_s)
    row = ClaimRow(
        id=new_id("c_"),
        seq=new_fact(session, wanted.campaign_id, "claim"),
        campaign_id=wanted.campaign_id,
        strategy=wanted.strategy,
        lane=wanted.lane,
        token=wanted.token,
        agent=wanted.agent,
        generation=1 + _newest_generation(session, wanted),
        state=ClaimState.LIVE.value,
        reason=wanted.reason,
        phase=wanted.phase,
        parents=json.dumps(wanted.parents),
        claimed_s=now_s,
        expires_s=now_s + lease_s,
    )
    insert(session, row)
    insert(
        session,
        ClaimEventRow(
            seq=row.seq, claim_id=row.id, kind="claimed", at_s=now_s, detail=wanted.reason
        ),
    )
    return claim_of(row)


def renew(session: Session, claim_id: str, *, lease_s: float, now_s: float) -> Claim:
    """Extend a live claim's lease; a revival after its end is an event, an extension is not."""
    row = require_claim(session, claim_id)
    had_expired = row.expires_s <= now_s
    renewed = moved(session, _live(row).values(expires_s=now_s + lease_s))
    if renewed and had_expired:
        _note(session, row, "renewed", Leaving("its lease had run out and nobody took it"), now_s)
    session.refresh(row)
    return claim_of(row)


def close(
    session: Session, claim_id: str, state: ClaimState, leaving: Leaving, now_s: float
) -> Claim:
    """End a live claim; an exhausted one only notes, once, what its agent says as it leaves."""
    row = require_claim(session, claim_id)
    if row.state == ClaimState.EXHAUSTED.value and state is not ClaimState.EXHAUSTED:
        if not _has_left(session, row):
            _note(session, row, state.value, leaving, now_s)
    else:
        move(session, row, state, leaving, now_s)
    return claim_of(row)


def move(
    session: Session, row: ClaimRow, state: ClaimState, leaving: Leaving, now_s: float
) -> bool:
    """Move a live claim to another state, with its event; False when it was not live."""
    if not moved(session, _live(row).values(state=state.value)):
        return False
    _note(session, row, state.value, leaving, now_s)
    session.refresh(row)
    return True


def refuse_unless_live(session: Session, row: ClaimRow) -> None:
    """Raise what tells the agent why nothing more is accepted under this claim."""
    if row.state == ClaimState.EXHAUSTED.value:
        raise ClaimClosed(row.id, "ended at its plateau")
    if row.state == ClaimState.TAKEN_OVER.value:
        raise ClaimTakenOver(row.id, row.strategy, ())
    if row.state != ClaimState.LIVE.value:
        raise ClaimClosed(row.id)


def _live(row: ClaimRow) -> Update:
    return update(ClaimRow).where(
        col(ClaimRow.id) == row.id, col(ClaimRow.state) == ClaimState.LIVE.value
    )


def _note(session: Session, row: ClaimRow, kind: str, leaving: Leaving, now_s: float) -> None:
    event = ClaimEventRow(
        seq=new_fact(session, row.campaign_id, "claim"),
        claim_id=row.id,
        kind=kind,
        at_s=now_s,
        **asdict(leaving),
    )
    insert(session, event)


def _has_left(session: Session, row: ClaimRow) -> bool:
    ends = [ClaimState.DONE.value, ClaimState.ABANDONED.value]
    left = select(ClaimEventRow.seq).where(
        ClaimEventRow.claim_id == row.id, col(ClaimEventRow.kind).in_(ends)
    )
    return session.exec(left).first() is not None


def _free_expired(session: Session, wanted: Wanted, now_s: float) -> None:
    own = and_(col(ClaimRow.token) == wanted.token, col(ClaimRow.agent) == wanted.agent)
    in_the_way = select(ClaimRow).where(
        ClaimRow.campaign_id == wanted.campaign_id,
        col(ClaimRow.state) == LIVE_STATE,
        ClaimRow.expires_s <= now_s,
        or_(own, col(ClaimRow.strategy) == wanted.strategy),
    )
    for row in session.exec(in_the_way).all():
        if (row.token, row.agent) == (wanted.token, wanted.agent):
            leaving = Leaving("its lease ran out and its agent claimed anew")
            move(session, row, ClaimState.ABANDONED, leaving, now_s)
        else:
            leaving = Leaving(f"its lease ran out and {wanted.agent!r} claimed the strategy")
            move(session, row, ClaimState.TAKEN_OVER, leaving, now_s)


def _newest_generation(session: Session, wanted: Wanted) -> int:
    # Generations are given one by one, so that the newest is their number.
    newest = select(func.max(ClaimRow.generation)).where(
        ClaimRow.campaign_id == wanted.campaign_id, ClaimRow.strategy == wanted.strategy
    )
    return session.exec(newest).one() or 0
