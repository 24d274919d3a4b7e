"""Step 8: conclusions that are found without looking through all of them."""

from sqlalchemy import Connection, text

from memory.migrations.ledger import step

COLUMNS = {
    "conclusion": (
        "campaign_id INTEGER NOT NULL DEFAULT 0",
        "token VARCHAR NOT NULL DEFAULT ''",
        "agent VARCHAR NOT NULL DEFAULT ''",
        "strategy VARCHAR NOT NULL DEFAULT ''",
        "lane VARCHAR NOT NULL DEFAULT ''",
        "repeats INTEGER",
        "times INTEGER NOT NULL DEFAULT 1",
        "against INTEGER",
        "measured TEXT",
    ),
    "decision": ("campaign_id INTEGER NOT NULL DEFAULT 0",),
    "revocation": (
        "campaign_id INTEGER NOT NULL DEFAULT 0",
        "solution_digest VARCHAR NOT NULL DEFAULT ''",
    ),
}
_FROM_CLAIM = ("campaign_id", "token", "agent", "strategy", "lane")
_FIRST = "WHERE repeats IS NULL"
INDEXES = {
    "same_solution": "submission (campaign_id, solution_digest)",
    "ranked": "decision (campaign_id, speedup, seq)"
    " WHERE verdict IN ('promoted', 'accepted', 'reverted')",
    "ix_revocation_campaign_id": "revocation (campaign_id)",
    "conclusion_in_order": "conclusion (campaign_id, seq)",
    "conclusion_of_agent": "conclusion (campaign_id, token, agent, seq)",
    "conclusion_again": "conclusion (repeats, times)",
    "conclusion_against": "conclusion (against)",
    "conclusion_newest": f"conclusion (campaign_id, kind, seq) {_FIRST}",
    "conclusion_of_lane": f"conclusion (campaign_id, kind, lane, seq) {_FIRST}",
    "conclusion_of_strategy": f"conclusion (campaign_id, kind, strategy, seq) {_FIRST}",
    "conclusion_best": f"conclusion (campaign_id, kind, speedup, seq) {_FIRST}",
    "conclusion_best_of_lane": f"conclusion (campaign_id, kind, lane, speedup, seq) {_FIRST}",
}


@step(8, "conclusions found by index and by words")
def index_conclusions(connection: Connection) -> None:
    """Add what the indexes need, filled from claims and submissions, and the indexes."""
    # Written out, not taken from the tables of today: a released step must never change.
    for table, columns in COLUMNS.items():
        for column in columns:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {column}"))
    for column in _FROM_CLAIM:
        found = f"SELECT {column} FROM claim WHERE claim.id = conclusion.claim_id"
        connection.execute(text(f"UPDATE conclusion SET {column} = ({found})"))
    for table, column in (
        ("decision", "campaign_id"),
        ("revocation", "campaign_id"),
        ("revocation", "solution_digest"),
    ):
        found = f"SELECT {column} FROM submission WHERE submission.id = {table}.submission_id"
        connection.execute(text(f"UPDATE {table} SET {column} = ({found})"))
    for name, where in INDEXES.items():
        connection.execute(text(f"CREATE INDEX {name} ON {where}"))
    if connection.dialect.name == "sqlite":
        _index_words(connection)


def _index_words(connection: Connection) -> None:
    connection.execute(
        text(
            "CREATE VIRTUAL TABLE conclusion_text USING fts5 (campaign, strategy, note, reflection,"
            " content='', detail='column', tokenize='porter unicode61')"
        )
    )
    words = "rowid, campaign, strategy, note, reflection"
    # A driver's own call: a colon would be a parameter.
    connection.exec_driver_sql(
        "CREATE TRIGGER conclusion_words AFTER INSERT ON conclusion BEGIN"
        f" INSERT INTO conclusion_text ({words}) VALUES"
        " (new.seq, 'c' || new.campaign_id, new.strategy, new.note, new.reflection); END"
    )
    connection.exec_driver_sql(
        f"INSERT INTO conclusion_text ({words})"
        " SELECT seq, 'c' || campaign_id, strategy, note, reflection FROM conclusion"
    )
