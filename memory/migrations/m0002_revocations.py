"""Step 2: submissions can be revoked."""

from sqlalchemy import Column, Connection, Float, ForeignKey, Integer, MetaData, Table, Text

from memory.migrations.ledger import step


@step(2, "revocations")
def add_revocations(connection: Connection) -> None:
    """Create their table."""
    # Written out, not taken from `memory.tables`: a released step must never change.
    metadata = MetaData()
    Table("submission", metadata, Column("id", Integer, primary_key=True))
    Table("fact", metadata, Column("seq", Integer, primary_key=True))
    Table(
        "revocation",
        metadata,
        Column("submission_id", Integer, ForeignKey("submission.id"), primary_key=True),
        Column("seq", Integer, ForeignKey("fact.seq"), nullable=False),
        Column("reason", Text, nullable=False),
        Column("revoked_s", Float, nullable=False),
    ).create(connection)
