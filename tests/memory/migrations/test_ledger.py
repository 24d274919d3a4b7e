from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, inspect, select, text

from guard.domain.decision import Policy
from guard.domain.errors import DatabaseNewer
from memory.migrations import m0001_first_board, m0008_memory, m0010_of_agents
from memory.migrations.ledger import STEPS, VERSIONS, Step, apply, check, latest


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{tmp_path}/board.db")
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def add_column(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE token ADD COLUMN note TEXT"))


def columns(connection: Connection) -> set[str]:
    return {column["name"] for column in inspect(connection).get_columns("token")}


SECOND = {**STEPS, latest() + 1: Step("a note per token", add_column)}


def test_the_first_step_creates_the_tables_of_today(connection: Connection) -> None:
    apply(connection, "a database")

    assert STEPS[1].run is m0001_first_board.create
    assert check(connection, "a database") == latest()
    assert {"campaign", "submission", "job"} <= set(inspect(connection).get_table_names())


def test_an_older_database_takes_the_missing_steps_once(connection: Connection) -> None:
    apply(connection, "a database")

    apply(connection, "a database", SECOND)
    apply(connection, "a database", SECOND)

    assert "note" in columns(connection)
    said = connection.execute(select(VERSIONS.c.version, VERSIONS.c.says)).all()
    assert [tuple(row) for row in said] == [(v, s.says) for v, s in sorted(SECOND.items())]


def test_a_fresh_database_records_later_steps_without_running_them(
    connection: Connection,
) -> None:
    apply(connection, "a database", SECOND)

    assert check(connection, "a database", SECOND) == latest() + 1
    assert "note" not in columns(connection)


UNDONE = {
    # step: how a board of today loses what it added
    2: ["DROP TABLE revocation"],
    3: [
        "DROP TABLE health",
        "ALTER TABLE decision DROP COLUMN terms",
        "ALTER TABLE decision DROP COLUMN derived",
    ],
    4: ["ALTER TABLE verification DROP COLUMN adherence"],
    5: [],  # it changes words alone
    6: [
        "DROP TABLE attempt",
        # SQLite drops no column that refers to another table.
        "DROP TABLE verification",
        "CREATE TABLE verification (submission_id INTEGER NOT NULL PRIMARY KEY, "
        "seq INTEGER NOT NULL, compiled TEXT NOT NULL, note TEXT NOT NULL, "
        "verified_s FLOAT NOT NULL, adherence TEXT)",
        "DROP INDEX one_open_job_per_submission",
        "CREATE UNIQUE INDEX one_job_per_submission ON job (kind, submission_id)",
    ],
    7: ["DROP TABLE campaign_event", "DROP TABLE spending", "DROP TABLE reading"],
    8: [
        "DROP TRIGGER conclusion_words",
        "DROP TABLE conclusion_text",
        *(f"DROP INDEX {name}" for name in m0008_memory.INDEXES),
        # As above: these columns refer to other tables.
        *(f"DROP TABLE {table}" for table in m0008_memory.COLUMNS),
        "CREATE TABLE conclusion (seq INTEGER NOT NULL PRIMARY KEY, claim_id VARCHAR NOT NULL, "
        "kind VARCHAR NOT NULL, note TEXT NOT NULL, reflection TEXT NOT NULL, "
        "submission_ids TEXT NOT NULL, fingerprint VARCHAR NOT NULL, speedup FLOAT, "
        "posted_s FLOAT NOT NULL, UNIQUE (claim_id, fingerprint))",
        "CREATE TABLE decision (submission_id INTEGER NOT NULL PRIMARY KEY, seq INTEGER NOT NULL, "
        "verdict VARCHAR NOT NULL, decision TEXT NOT NULL, speedup FLOAT NOT NULL, "
        "speedup_low FLOAT NOT NULL, speedup_high FLOAT NOT NULL, over_baseline TEXT NOT NULL, "
        "over_champion TEXT, champion_submission_id INTEGER, generation INTEGER NOT NULL, "
        "decided_s FLOAT NOT NULL, progress BOOLEAN NOT NULL, terms TEXT, "
        "derived BOOLEAN NOT NULL)",
        "CREATE INDEX ix_decision_seq ON decision (seq)",
        "CREATE TABLE revocation (submission_id INTEGER NOT NULL PRIMARY KEY, "
        "seq INTEGER NOT NULL, reason TEXT NOT NULL, revoked_s FLOAT NOT NULL)",
    ],
    9: [
        "ALTER TABLE claim DROP COLUMN phase",
        "ALTER TABLE claim DROP COLUMN parents",
        "DROP INDEX ix_verification_seq",
        "DROP INDEX copies",
        "ALTER TABLE decision DROP COLUMN over_parents",
    ],
    10: [f"DROP INDEX {name}" for name in m0010_of_agents.INDEXES],
}
LATER = [
    # where a step added something, and which
    pytest.param("revocation", 2, id="revocations"),
    pytest.param("health", 3, id="health duels"),
    pytest.param("decision", 3, id="terms of decisions"),
    pytest.param("verification", 4, id="adherence to strategies"),
    pytest.param("verification", 6, id="answers from the record"),
    pytest.param("attempt", 6, id="attempts"),
    pytest.param("job", 6, id="one open job"),
    pytest.param("campaign_event", 7, id="events of campaigns"),
    pytest.param("spending", 7, id="what orders cost"),
    pytest.param("reading", 7, id="who read what"),
    pytest.param("conclusion", 8, id="conclusions by index"),
    pytest.param("decision", 8, id="ranked decisions"),
    pytest.param("revocation", 8, id="revoked digests"),
    pytest.param("submission", 8, id="the same solution"),
    pytest.param("claim", 9, id="phases of claims"),
    pytest.param("verification", 9, id="copies by index"),
    pytest.param("claim", 10, id="claims by agent"),
    pytest.param("job", 10, id="jobs by claim"),
    pytest.param("decision", 9, id="what candidates gained over their parents"),
]


def undo(connection: Connection, version: int) -> None:
    """Make a board of today one from before this step."""
    for later in sorted(UNDONE, reverse=True):
        for statement in UNDONE[later] if later >= version else ():
            connection.execute(text(statement))
    connection.execute(VERSIONS.delete().where(VERSIONS.c.version >= version))


def test_every_later_step_is_undone_here() -> None:
    assert UNDONE.keys() == STEPS.keys() - {1}


@pytest.mark.parametrize(("table", "version"), LATER)
def test_an_older_board_gets_what_was_added_since(
    connection: Connection, table: str, version: int
) -> None:
    apply(connection, "a database")
    today = inspect(connection).get_columns(table)
    indexes = inspect(connection).get_indexes(table)
    undo(connection, version)

    apply(connection, "a database")

    assert check(connection, "a database") == latest()
    then = inspect(connection).get_columns(table)
    facts = ("name", "nullable", "primary_key")
    assert [[c[f] for f in facts] for c in then] == [[c[f] for f in facts] for c in today]
    assert [str(c["type"]) for c in then] == [str(c["type"]) for c in today]
    made = inspect(connection).get_indexes(table)
    facts = ("name", "unique", "column_names")
    assert [[i[f] for f in facts] for i in made] == [[i[f] for f in facts] for i in indexes]


def test_an_older_program_refuses_the_database(connection: Connection) -> None:
    apply(connection, "a database", SECOND)

    with pytest.raises(DatabaseNewer, match=f"schema version {latest() + 1}"):
        check(connection, "a database")


def test_a_claim_that_ended_in_drafting_is_exhausted_today(connection: Connection) -> None:
    apply(connection, "a database")
    undo(connection, 5)
    for statement in (
        "INSERT INTO solution (digest, body) VALUES ('d', '{}')",
        "INSERT INTO campaign (id, problem_name, device, hardware, problem, policy, baseline,"
        " baseline_digest, started_s) VALUES (1, 'p', 'cpu', 'a cpu', '{}',"
        " '{\"plateau_after\": 7}', '{}', 'd', 0)",
        "INSERT INTO fact (seq, campaign_id, kind) VALUES (1, 1, 'claim'), (2, 1, 'claim')",
        "INSERT INTO claim (id, seq, campaign_id, strategy, lane, token, agent, generation, state,"
        " reason, claimed_s, expires_s)"
        " VALUES ('c', 1, 1, 's', 'l', 't', 'a', 1, 'drafting', '', 0, 0)",
        "INSERT INTO claim_event (seq, claim_id, kind, at_s, detail, model, tokens, cost_usd)"
        " VALUES (2, 'c', 'drafting', 0, '', '', 0, 0)",
    ):
        # A driver's own call: a colon in JSON is no parameter.
        connection.exec_driver_sql(statement)

    apply(connection, "a database")

    policy = connection.execute(text("SELECT policy FROM campaign")).scalar_one()
    assert Policy.model_validate_json(policy) == Policy(lane_after=7)
    for table, column in (("claim", "state"), ("claim_event", "kind")):
        found = connection.execute(text(f"SELECT {column} FROM {table}")).scalar_one()
        assert found == "exhausted"


def test_conclusions_of_an_older_board_are_found_as_those_of_today(connection: Connection) -> None:
    apply(connection, "a database")
    undo(connection, 8)
    for statement in (
        "INSERT INTO fact (seq, campaign_id, kind) VALUES (1, 1, 'claim'), (2, 1, 'conclusion')",
        "INSERT INTO claim (id, seq, campaign_id, strategy, lane, token, agent, generation, state,"
        " reason, claimed_s, expires_s)"
        " VALUES ('c', 1, 1, 's', 'l', 't', 'a', 1, 'done', '', 0, 0)",
        "INSERT INTO conclusion (seq, claim_id, kind, note, reflection, submission_ids,"
        " fingerprint, posted_s) VALUES (2, 'c', 'trap', 'wide tiles', 'spill', '[]', 'f', 0)",
    ):
        connection.exec_driver_sql(statement)

    apply(connection, "a database")

    told = "SELECT campaign_id, token, agent, strategy, lane, repeats, times FROM conclusion"
    assert connection.execute(text(told)).one() == (1, "t", "a", "s", "l", None, 1)
    words = "SELECT rowid FROM conclusion_text WHERE conclusion_text MATCH 'spilled AND tile'"
    assert connection.execute(text(words)).scalar_one() == 2
