"""Step 4: whether each verified candidate follows its claim's strategy."""

from sqlalchemy import Connection, text

from memory.migrations.ledger import step


@step(4, "adherence of candidates to their strategy")
def add_adherence(connection: Connection) -> None:
    """Add its column to verifications, empty for those made before."""
    connection.execute(text("ALTER TABLE verification ADD COLUMN adherence TEXT"))
