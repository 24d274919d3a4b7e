"""The tables of a campaign's course: its events, what was spent on it, who read what.

All are facts, only ever added. Start at `CampaignEventRow`. Not here: what agents handed in and
what became of it (`tables`), the values that callers see (`course`).
"""

from sqlalchemy import Text, UniqueConstraint
from sqlmodel import Field

from memory.base import Row, unique_while


class CampaignEventRow(Row, table=True):
    """A campaign is paused, goes on, or is stopped at a limit."""

    __tablename__ = "campaign_event"
    __table_args__ = (unique_while("kind = 'stopped'", "one_stop_per_campaign", "campaign_id"),)

    seq: int = Field(primary_key=True, foreign_key="fact.seq")
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    kind: str
    at_s: float
    detail: str = Field(sa_type=Text)


class SpendingRow(Row, table=True):
    """What one order cost, booked once, when its report came."""

    __tablename__ = "spending"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: int | None = Field(default=None, primary_key=True)
    campaign_id: int = Field(foreign_key="campaign.id", index=True)
    job_id: str | None = Field(default=None, foreign_key="job.id", index=True)
    """None: the house's own, such as a baseline or a health duel."""
    ordered: str
    """The order's type."""
    wait_s: float
    compile_s: float
    device_s: float
    at_s: float


class ReadingRow(Row, table=True):
    """A conclusion was shown to a claim's agent, for the first time."""

    __tablename__ = "reading"
    __table_args__ = (
        UniqueConstraint("claim_id", "conclusion_seq"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    claim_id: str = Field(foreign_key="claim.id")
    conclusion_seq: int = Field(foreign_key="conclusion.seq")
    at_s: float
