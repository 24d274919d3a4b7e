import json
import sqlite3
from contextlib import closing

import pytest

from benchmarks._jobs import added, shares


def test_parts_add_up_to_the_whole():
    found = added([(10.0, 14.0, 11.0), (12.0, 18.0, 14.0)], compile_s=2.0)
    assert (found.jobs, found.in_all_s, found.wait_s, found.device_s) == (2, 10.0, 3.0, 5.0)
    assert "compiling 20.0%, waiting 30.0%, device 50.0%" in found.told()


@pytest.mark.parametrize(
    "started", [pytest.param(None, id="never"), pytest.param(11.0, id="for one of two alone")]
)
def test_waiting_is_left_out_where_the_rows_do_not_tell(started):
    found = added([(10.0, 14.0, started), (12.0, 18.0, None)], compile_s=2.0)
    assert (found.wait_s, found.device_s) == (None, None)
    assert "not recorded" in found.told()


def test_no_job_has_no_shares():
    assert added([], compile_s=0.0).told() == "No job ended."


@pytest.mark.parametrize("tells", [False, True], ids=["without starts", "with starts"])
def test_only_ended_jobs_of_the_stream_are_read(tells, tmp_path):
    more = ", started_s real" if tells else ""
    with closing(sqlite3.connect(tmp_path / "board.db")) as board:
        board.execute(f"create table job (state text, created_s real, finished_s real{more})")
        board.execute("create table submission (id integer, submitted_s real)")
        board.execute("create table verification (submission_id integer, compiled text)")
        for state, created in (("done", 5.0), ("done", 20.0), ("running", 21.0)):
            values = (state, created, created + 4, created + 1)[: 4 if tells else 3]
            board.execute(f"insert into job values ({', '.join('?' * len(values))})", values)
        for number, submitted in ((1, 5.0), (2, 20.0)):
            report = json.dumps({"ok": True, "duration_s": 0.5})
            board.execute("insert into submission values (?, ?)", (number, submitted))
            board.execute("insert into verification values (?, ?)", (number, report))
        board.commit()
    found = shares(tmp_path / "board.db", since_s=10.0)
    assert (found.jobs, found.in_all_s, found.compile_s) == (1, 4.0, 0.5)
    assert found.wait_s == (1.0 if tells else None)
