"""Step 9: what a claim was handed out for, and what a composite strategy is to be made of."""

from sqlalchemy import Connection, text

from memory.migrations.ledger import step


@step(9, "phases of claims, and the parents of composite strategies")
def add_assignment(connection: Connection) -> None:
    """Add two columns to claims, empty for those made before, and what finds copies.

    What was decided before builds on nothing, as far as decisions tell.
    """
    connection.execute(text("ALTER TABLE claim ADD COLUMN phase VARCHAR NOT NULL DEFAULT ''"))
    connection.execute(text("ALTER TABLE claim ADD COLUMN parents TEXT NOT NULL DEFAULT '[]'"))
    connection.execute(text("CREATE INDEX ix_verification_seq ON verification (seq)"))
    copies = "CREATE INDEX copies ON verification (same_as) WHERE same_as IS NOT NULL"
    connection.execute(text(copies))
    added = "ALTER TABLE decision ADD COLUMN over_parents FLOAT NOT NULL DEFAULT 1"
    connection.execute(text(added))
    connection.execute(text("UPDATE decision SET over_parents = speedup"))
