"""Step 5: a claim that ended at its plateau is exhausted; drafting is a stage of a live one."""

import json

from sqlalchemy import Connection, text

from memory.migrations.ledger import step


@step(5, "claims that ended at their plateau are exhausted")
def rename_drafting(connection: Connection) -> None:
    """Give claims, their events and the limit that ended them the words of today."""
    for column in ("claim SET state", "claim_event SET kind"):
        named = column.rpartition(" ")[2]
        connection.execute(text(f"UPDATE {column} = 'exhausted' WHERE {named} = 'drafting'"))
    for campaign_id, stored in connection.execute(text("SELECT id, policy FROM campaign")).all():
        policy = json.loads(stored)
        if "plateau_after" in policy:
            policy["lane_after"] = policy.pop("plateau_after")
            connection.execute(
                text("UPDATE campaign SET policy = :policy WHERE id = :id"),
                {"policy": json.dumps(policy), "id": campaign_id},
            )
