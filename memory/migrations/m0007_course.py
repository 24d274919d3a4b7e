"""Step 7: a campaign's course: its events, what was spent on it, who read which conclusion."""

from sqlalchemy import (
    Column,
    Connection,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from memory.migrations.ledger import step


@step(7, "events, spending and readings of campaigns")
def add_course(connection: Connection) -> None:
    """Create three tables, empty: of what was before nothing is known."""
    # Written out, not taken from `memory.course_tables`: a released step must never change.
    metadata = MetaData()
    Table("fact", metadata, Column("seq", Integer, primary_key=True))
    Table("campaign", metadata, Column("id", Integer, primary_key=True))
    Table("job", metadata, Column("id", String, primary_key=True))
    Table("claim", metadata, Column("id", String, primary_key=True))
    Table("conclusion", metadata, Column("seq", Integer, primary_key=True))
    Table(
        "campaign_event",
        metadata,
        Column("seq", Integer, ForeignKey("fact.seq"), primary_key=True),
        Column("campaign_id", Integer, ForeignKey("campaign.id"), nullable=False, index=True),
        Column("kind", String, nullable=False),
        Column("at_s", Float, nullable=False),
        Column("detail", Text, nullable=False),
    ).create(connection)
    one_stop = "CREATE UNIQUE INDEX one_stop_per_campaign ON campaign_event (campaign_id)"
    connection.execute(text(f"{one_stop} WHERE kind = 'stopped'"))
    Table(
        "spending",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("campaign_id", Integer, ForeignKey("campaign.id"), nullable=False, index=True),
        Column("job_id", String, ForeignKey("job.id"), index=True),
        Column("ordered", String, nullable=False),
        *(Column(f"{name}_s", Float, nullable=False) for name in ("wait", "compile", "device")),
        Column("at_s", Float, nullable=False),
        sqlite_autoincrement=True,
    ).create(connection)
    Table(
        "reading",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("claim_id", String, ForeignKey("claim.id"), nullable=False),
        Column("conclusion_seq", Integer, ForeignKey("conclusion.seq"), nullable=False),
        Column("at_s", Float, nullable=False),
        UniqueConstraint("claim_id", "conclusion_seq"),
        sqlite_autoincrement=True,
    ).create(connection)
