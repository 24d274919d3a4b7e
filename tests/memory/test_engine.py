import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event, text

from guard.domain.errors import BadValue, DatabaseNewer, StorageFull
from memory import views
from memory.board import Board
from memory.engine import Database, open_database, read_database
from memory.records import Campaign
from tests.memory.builders import NOW, held, solution, start


def pragma(database: Database, name: str) -> object:
    with database.read() as session:
        return session.connection().execute(text(f"PRAGMA {name}")).scalar()


def test_a_database_is_private_and_durable(url: str) -> None:
    database = open_database(url)
    start(Board(database))
    file = Path(str(database.engine.url.database))

    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in file.parent.iterdir()}
    assert modes == dict.fromkeys(
        ["board.db", "board.db-wal", "board.db-shm", "board.db.lock"], 0o600
    )
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "synchronous") == 2
    assert pragma(database, "foreign_keys") == 1
    database.close()


def test_everything_is_there_when_it_is_opened_again(url: str) -> None:
    first = open_database(url)
    campaign = start(Board(first))
    first.close()

    second = open_database(url)

    assert views.campaigns(second) == (campaign,)
    second.close()


def test_a_newer_database_is_refused_and_left_alone(url: str, tmp_path: Path) -> None:
    open_database(url).close()
    file = tmp_path / "state" / "board.db"
    connection = sqlite3.connect(file)
    connection.execute("INSERT INTO schema_version VALUES (999, 'from the future', 0)")
    connection.commit()
    connection.close()
    before = file.read_bytes()

    for opener in (open_database, read_database):
        with pytest.raises(DatabaseNewer, match="schema version 999"):
            opener(url)

    assert file.read_bytes() == before
    # The refusal gave the lock back.
    with pytest.raises(DatabaseNewer):
        open_database(url)


def other_program(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE notes (id INTEGER)")
    connection.commit()
    connection.close()


NOT_OURS: list[object] = [
    pytest.param(lambda file: file.write_text("no database\n" * 99), "not a database", id="text"),
    pytest.param(lambda file: file.mkdir(), "directory", id="a folder"),
    pytest.param(other_program, "another program", id="another program's"),
]


@pytest.mark.parametrize(("make", "reason"), NOT_OURS)
def test_a_file_that_is_not_ours_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    file = tmp_path / "board.db"
    make(file)
    before = file.read_bytes() if file.is_file() else None

    with pytest.raises(BadValue, match=reason):
        open_database(f"sqlite:///{file}")

    assert (file.read_bytes() if file.is_file() else None) == before


@pytest.mark.parametrize(
    "url",
    ["board.db", "nosuch://host/db", "mssql+pymssql://host/db", "sqlite://", "sqlite:///:memory:"],
    ids=str,
)
def test_a_url_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(BadValue, match="--db"):
        open_database(url)


def test_reading_creates_nothing_and_writes_nothing(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="no database"):
        read_database(url)
    assert list(tmp_path.iterdir()) == []
    server = open_database(url)
    campaign = start(Board(server))

    reader = read_database(url)

    assert views.campaigns(reader) == (campaign,)
    with pytest.raises(StorageFull, match="readonly"):
        Board(reader).end_campaign(campaign.id)
    assert views.campaigns(server) == (campaign,)
    reader.close()
    server.close()


def test_an_empty_database_cannot_be_reported(tmp_path: Path) -> None:
    (tmp_path / "board.db").touch()

    with pytest.raises(BadValue, match="schema version 0"):
        read_database(f"sqlite:///{tmp_path}/board.db")


def limit_pages(database: Database, pages: int) -> None:
    def configure(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(database.engine, "connect", configure)
    database.engine.dispose()


def test_a_full_disk_keeps_nothing_of_the_write_and_everything_else(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    before = views.latest_seq(database, campaign.id)
    limit_pages(database, int(str(pragma(database, "page_count"))))

    with pytest.raises(StorageFull, match="full"):
        board.submit(claim.id, solution("x" * 200_000), (), NOW)

    assert views.submissions(database, campaign.id) == ()
    assert views.open_jobs(database) == ()
    assert views.latest_seq(database, campaign.id) == before
    limit_pages(database, 2**30)
    submission, job = board.submit(claim.id, solution("x" * 200_000), (), NOW)
    assert views.submission(database, submission.id) == submission
    assert views.open_jobs(database) == (job,)


def test_a_failure_in_the_middle_undoes_the_whole_write(
    database: Database, board: Board, campaign: Campaign
) -> None:
    before = views.latest_seq(database, campaign.id)

    with pytest.raises(ZeroDivisionError), database.write() as session:
        session.connection().execute(text("INSERT INTO fact (campaign_id, kind) VALUES (1, 'x')"))
        raise ZeroDivisionError

    assert views.latest_seq(database, campaign.id) == before


def test_ids_are_never_reused(database: Database, board: Board, campaign: Campaign) -> None:
    claim = held(board, campaign)
    gone, job = board.submit(claim.id, solution("gone"), (), NOW)
    with database.write() as session:
        session.connection().execute(text("DELETE FROM job"))
        session.connection().execute(text("DELETE FROM submission"))

    fresh, _ = board.submit(claim.id, solution("fresh"), (), NOW)

    assert fresh.id > gone.id
    assert views.job(database, job.id) is None


def test_a_copied_database_is_whole(url: str, tmp_path: Path) -> None:
    database = open_database(url)
    campaign = start(Board(database))
    database.close()
    shutil.copy(tmp_path / "state" / "board.db", tmp_path / "copy.db")

    copy = read_database(f"sqlite:///{tmp_path}/copy.db")

    assert views.campaigns(copy) == (campaign,)
    copy.close()


def test_the_version_is_another_one_after_any_commit(
    url: str, database: Database, board: Board, campaign: Campaign
) -> None:
    first = database.version()
    assert database.version() == first
    board.move(campaign.id, "paused", "by this process")
    second = database.version()
    assert second != first
    beside = open_database(url, exclusive=False)
    opened = database.version()
    Board(beside).move(campaign.id, "resumed", "by another connection")
    beside.close()
    assert database.version() not in (second, opened)
