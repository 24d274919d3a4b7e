"""Step 10: an agent's claims and their jobs are found without looking through all of them."""

from sqlalchemy import Connection, text

from memory.migrations.ledger import step

INDEXES = {
    "claim_of_agent": "claim (campaign_id, token, agent, seq)",
    "ix_job_claim_id": "job (claim_id)",
}


@step(10, "claims by agent, and jobs by claim")
def index_claims(connection: Connection) -> None:
    """Add two indexes."""
    for name, where in INDEXES.items():
        connection.execute(text(f"CREATE INDEX {name} ON {where}"))
