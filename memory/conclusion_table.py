"""The table of conclusions, with the lists that readers are answered from.

A board may hold a million of them, so no reader ever looks through them all: each index below is a
list in the order of one question, over the conclusions that told something first. What was told
again is counted on its own row and reached through `repeats`. Only SQLite
has an index of words here; `search` does without it elsewhere.

Start at `ConclusionRow`. Not here: which lists a reader is given (`pool`), full text (`search`).
"""

from typing import Any

from sqlalchemy import Connection, Index, Text, UniqueConstraint, event
from sqlmodel import Field

from memory.base import Row, listed_while

_FIRST = "repeats IS NULL"


class ConclusionRow(Row, table=True):
    """A win or a trap."""

    __tablename__ = "conclusion"
    __table_args__ = (
        UniqueConstraint("claim_id", "fingerprint"),
        Index("conclusion_in_order", "campaign_id", "seq"),
        Index("conclusion_of_agent", "campaign_id", "token", "agent", "seq"),
        Index("conclusion_again", "repeats", "times"),
        Index("conclusion_against", "against"),
        listed_while(_FIRST, "conclusion_newest", "campaign_id", "kind", "seq"),
        listed_while(_FIRST, "conclusion_of_lane", "campaign_id", "kind", "lane", "seq"),
        listed_while(_FIRST, "conclusion_of_strategy", "campaign_id", "kind", "strategy", "seq"),
        listed_while(_FIRST, "conclusion_best", "campaign_id", "kind", "speedup", "seq"),
        listed_while(
            _FIRST, "conclusion_best_of_lane", "campaign_id", "kind", "lane", "speedup", "seq"
        ),
    )

    seq: int = Field(primary_key=True, foreign_key="fact.seq")
    claim_id: str = Field(foreign_key="claim.id")
    kind: str
    note: str = Field(sa_type=Text)
    reflection: str = Field(sa_type=Text)
    submission_ids: str = Field(sa_type=Text)
    fingerprint: str
    """SHA-256 over what the agent said, so that a repeat is recognised."""
    speedup: float | None = None
    posted_s: float
    campaign_id: int = Field(foreign_key="campaign.id")
    """Its claim's, like the next four, for the indexes."""
    token: str
    agent: str
    strategy: str
    lane: str
    repeats: int | None = Field(default=None, foreign_key="conclusion.seq")
    """The first conclusion that told nearly the same; none: this is the first."""
    times: int = 1
    """How often nearly the same had been told by then, this one included."""
    against: int | None = Field(default=None, foreign_key="conclusion.seq")
    """A conclusion of the other kind that tells nearly the same."""
    measured: str | None = Field(default=None, sa_type=Text)
    """What the server measured; none: posted when an earlier version did not store it."""


# SQLite's own index of words. A trigger tells it what was written, so it cannot be forgotten.
_COLUMNS = "rowid, campaign, strategy, note, reflection"
_MADE = (
    "CREATE VIRTUAL TABLE conclusion_text USING fts5 (campaign, strategy, note, reflection,"
    " content='', detail='column', tokenize='porter unicode61')",
    "CREATE TRIGGER conclusion_words AFTER INSERT ON conclusion BEGIN"
    f" INSERT INTO conclusion_text ({_COLUMNS}) VALUES"
    " (new.seq, 'c' || new.campaign_id, new.strategy, new.note, new.reflection); END",
)


def _index_words(_table: Any, connection: Connection, **_: Any) -> None:
    if connection.dialect.name == "sqlite":
        for statement in _MADE:
            connection.exec_driver_sql(statement)


event.listen(ConclusionRow.metadata.tables["conclusion"], "after_create", _index_words)
