"""Step 6: what is answered from the record, and what was judged but showed nothing."""

from sqlalchemy import Column, Connection, ForeignKey, Integer, MetaData, Table, Text, text

from memory.migrations.ledger import step


@step(6, "attempts, sealed verifications, and answers from the record")
def add_record(connection: Connection) -> None:
    """Create the attempts' table; let a submission be verified again; add three columns."""
    # Written out, not taken from `memory.tables`: a released step must never change.
    for column in (
        "sealed BOOLEAN NOT NULL DEFAULT FALSE",
        "code_digest VARCHAR NOT NULL DEFAULT ''",
        "same_as INTEGER REFERENCES submission (id)",
    ):
        connection.execute(text(f"ALTER TABLE verification ADD COLUMN {column}"))
    index = "CREATE INDEX ix_verification_code_digest ON verification (code_digest)"
    connection.execute(text(index))
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
