"""Step 5: a claim that ended at its plateau is exhausted; drafting is a stage of a live one."""

from sqlalchemy import Connection, text

from memory.migrations.ledger import step


@step(5, "claims that ended at their plateau are exhausted")
def rename_drafting(connection: Connection) -> None:
    """Give claims and their events the word of today."""
    for column in ("claim SET state", "claim_event SET kind"):
        named = column.rpartition(" ")[2]
        connection.execute(text(f"UPDATE {column} = 'exhausted' WHERE {named} = 'drafting'"))
