"""Post wins and traps, each once.

A conclusion that tells nearly what an earlier one told points to that one and carries the count;
one that says the opposite points to what it contradicts. Both are found among the newest of its
lane, so posting costs the same on a large board; what is older than these is told anew.

Start at `post`. Not here: whether the record supports a conclusion (`server.conclusions`), what
is nearly the same (`memory.likeness`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from memory import likeness
from memory.conclusion import Conclusion, ConclusionKind, Measured
from memory.conclusion_table import ConclusionRow
from memory.rows import conclusion_of
from memory.tables import ClaimRow
from memory.text import hash_of, to_text
from memory.writes.common import insert, new_fact, require_claim, require_submission

COMPARED = 128
"""Newest conclusions of its lane, of each kind, that a new one is compared with."""


@dataclass(frozen=True)
class Told:
    """What an agent concluded, and what the server found for it."""

    kind: ConclusionKind
    note: str
    reflection: str
    submission_ids: tuple[int, ...]
    speedup: float | None
    measured: Measured | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same words and citations."""
        said = [self.kind, self.note, self.reflection, list(self.submission_ids)]
        return hash_of(to_text(said))


def post(session: Session, claim_id: str, told: Told, now_s: float) -> Conclusion:
    """Post a conclusion, or return the row that an identical one gave."""
    claim = require_claim(session, claim_id)
    row = session.exec(
        select(ConclusionRow).where(
            ConclusionRow.claim_id == claim_id, ConclusionRow.fingerprint == told.fingerprint
        )
    ).first()
    if row is None:
        for cited in told.submission_ids:
            require_submission(session, cited)
        row = _row(session, claim, told, now_s)
        insert(session, row)
    return conclusion_of(row)


def _row(session: Session, claim: ClaimRow, told: Told, now_s: float) -> ConclusionRow:
    earlier = {kind: _newest(session, claim, kind) for kind in ("win", "trap")}
    first = next(
        (
            row
            for row in earlier[told.kind]
            if likeness.repeats(told.note, told.speedup, row.note, row.speedup)
        ),
        None,
    )
    opposed = (
        row
        for row in earlier["trap" if told.kind == "win" else "win"]
        if likeness.contradicts(told.note, row.note)
    )
    against = next(opposed, None) if first is None else None
    return ConclusionRow(
        seq=new_fact(session, claim.campaign_id, "conclusion"),
        claim_id=claim.id,
        kind=told.kind,
        note=told.note,
        reflection=told.reflection,
        submission_ids=to_text(list(told.submission_ids)),
        fingerprint=told.fingerprint,
        speedup=told.speedup,
        posted_s=now_s,
        campaign_id=claim.campaign_id,
        token=claim.token,
        agent=claim.agent,
        strategy=claim.strategy,
        lane=claim.lane,
        repeats=first.seq if first is not None else None,
        times=1 + (_times(session, first) if first is not None else 0),
        against=against.seq if against is not None else None,
        measured=to_text(told.measured) if told.measured is not None else None,
    )


def _newest(session: Session, claim: ClaimRow, kind: str) -> Sequence[ConclusionRow]:
    return session.exec(
        select(ConclusionRow)
        .where(
            ConclusionRow.campaign_id == claim.campaign_id,
            ConclusionRow.kind == kind,
            ConclusionRow.lane == claim.lane,
            col(ConclusionRow.repeats).is_(None),
        )
        .order_by(col(ConclusionRow.seq).desc())
        .limit(COMPARED)
    ).all()


def _times(session: Session, first: ConclusionRow) -> int:
    """How often what this one told first was told so far."""
    newest = session.exec(
        select(ConclusionRow.times)
        .where(ConclusionRow.repeats == first.seq)
        .order_by(col(ConclusionRow.times).desc())
        .limit(1)
    ).first()
    return newest or first.times
