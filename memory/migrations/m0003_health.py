"""Step 3: the terms of each decision, and the duels by which the house watches itself."""

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

from memory.migrations.ledger import step


@step(3, "health duels, and the terms of each decision")
def add_health(connection: Connection) -> None:
    """Create their table; add two columns to decisions, empty for those made before."""
    # Written out, not taken from `memory.tables`: a released step must never change.
    connection.execute(text("ALTER TABLE decision ADD COLUMN terms TEXT"))
    derived = "ALTER TABLE decision ADD COLUMN derived BOOLEAN NOT NULL DEFAULT FALSE"
    connection.execute(text(derived))
    metadata = MetaData()
    Table("fact", metadata, Column("seq", Integer, primary_key=True))
    Table("campaign", metadata, Column("id", Integer, primary_key=True))
    Table(
        "health",
        metadata,
        Column("seq", Integer, ForeignKey("fact.seq"), primary_key=True),
        Column("campaign_id", Integer, ForeignKey("campaign.id"), nullable=False, index=True),
        Column("kind", String, nullable=False),
        Column("wrong", Boolean, nullable=False),
        Column("body", Text, nullable=False),
    ).create(connection)
