"""What a client was told is on disk, whenever the server is killed."""

import time

import pytest
from sqlalchemy import text

from memory import views
from memory.engine import open_database
from tests.memory.processes import running


@pytest.mark.parametrize("delay_s", [0.0, 0.23], ids=str)
def test_nothing_that_was_said_is_lost_by_a_kill(url: str, delay_s: float) -> None:
    with running("write", url) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(delay_s)
        writer.kill()
        log = [line.split() for line in (first + writer.stdout.read()).splitlines()]

    database = open_database(url)
    known = {
        "claim": {c.id for c in views.claims(database, 1)},
        "champion": {str(b.submission_id) for b in views.benchmarks(database, 1)},
        "conclusion": {str(c.seq) for c in views.conclusions(database, 1, limit=10_000)},
        "job": {job.id for job in views.open_jobs(database)},
    }
    assert [line for line in log if line[1] not in known[line[0]]] == []
    generations = [int(line[2]) for line in log if line[0] == "champion"]
    assert views.champion(database, 1).generation >= max(generations, default=0)
    with database.read() as session:
        assert session.connection().execute(text("PRAGMA integrity_check")).scalar() == "ok"
    database.close()
