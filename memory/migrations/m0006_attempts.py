"""Step 6: whether a verification was sealed, and verifications that showed nothing."""

from sqlalchemy import Column, Connection, ForeignKey, Integer, MetaData, Table, Text, text

from memory.migrations.ledger import step


@step(6, "attempts, and whether a verification was sealed")
def add_attempts(connection: Connection) -> None:
    """Create their table; let a submission be verified again; add a column, false before."""
    # Written out, not taken from `memory.tables`: a released step must never change.
    sealed = "ALTER TABLE verification ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT FALSE"
    connection.execute(text(sealed))
    connection.execute(text("DROP INDEX one_job_per_submission"))
    one_open = "CREATE UNIQUE INDEX one_open_job_per_submission ON job (kind, submission_id)"
    connection.execute(text(f"{one_open} WHERE state IN ('queued', 'running')"))
    metadata = MetaData()
    Table("fact", metadata, Column("seq", Integer, primary_key=True))
    Table("submission", metadata, Column("id", Integer, primary_key=True))
    Table(
        "attempt",
        metadata,
        Column("seq", Integer, ForeignKey("fact.seq"), primary_key=True),
        Column("submission_id", Integer, ForeignKey("submission.id"), nullable=False, index=True),
        Column("verification", Text, nullable=False),
    ).create(connection)
