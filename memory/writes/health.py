"""Record a duel by which the house watches itself.

Start at `record`. Not here: when one is due and what it shows (`coordinator.health`).
"""

from sqlmodel import Session

from memory.records import HealthDuel
from memory.tables import HealthRow
from memory.text import to_text
from memory.writes.common import insert, new_fact


def record(session: Session, found: HealthDuel) -> int:
    """Store it; returns its number."""
    row = HealthRow(
        seq=new_fact(session, found.campaign_id, "health"),
        campaign_id=found.campaign_id,
        kind=found.kind,
        wrong=found.wrong,
        body=to_text(found),
    )
    insert(session, row)
    return row.seq
