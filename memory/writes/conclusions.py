"""Post wins and traps, each once.

Start at `post`. Not here: whether the record supports a conclusion (`coordinator`).
"""

from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session, select

from memory.conclusion import Conclusion
from memory.rows import conclusion_of
from memory.tables import ConclusionRow
from memory.text import hash_of, to_text
from memory.writes.common import insert, new_fact, require_claim, require_submission


@dataclass(frozen=True)
class Told:
    """What an agent concluded, and the figure the server found for it."""

    kind: Literal["win", "trap"]
    note: str
    reflection: str
    submission_ids: tuple[int, ...]
    speedup: float | None

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
        row = ConclusionRow(
            seq=new_fact(session, claim.campaign_id, "conclusion"),
            claim_id=claim_id,
            kind=told.kind,
            note=told.note,
            reflection=told.reflection,
            submission_ids=to_text(list(told.submission_ids)),
            fingerprint=told.fingerprint,
            speedup=told.speedup,
            posted_s=now_s,
        )
        insert(session, row)
    return conclusion_of(row, claim)
