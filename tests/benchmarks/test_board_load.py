"""A board that is filled in bulk is one that the house's own views can read."""

from pathlib import Path

import pytest

from benchmarks._board import begin
from benchmarks._filling import Filling
from benchmarks._options import Kind, first_device
from benchmarks._problems import PROBLEMS, read_problem
from benchmarks._steps import GRAIN, counting
from benchmarks._stints import Stints
from memory import views
from memory.board import Board
from memory.engine import open_database

ROWS = 800
BASELINE = ("solution", "source")
"""Where the campaign itself has put a row before."""


@pytest.fixture
def filled(tmp_path: Path):
    database = open_database(f"sqlite:///{tmp_path / 'board.db'}")
    problem = read_problem(PROBLEMS / "softmax_rows")
    campaign = begin(Board(database), problem, first_device(Kind.CPU))
    filling = Filling(database, Stints(campaign, [("a.one", "a"), ("b.two", "b")], 3))
    filling.grow(ROWS)
    yield database, campaign, filling
    database.close()


def test_the_rows_are_as_many_as_asked_and_refer_to_each_other(filled):
    database, _, filling = filled
    assert ROWS <= filling.rows.total() < 2 * ROWS
    with database.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        for table, count in filling.rows.items():
            told = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            baseline = table in BASELINE
            assert (table, told - baseline) == (table, count)


def test_every_record_can_be_read(filled):
    database, campaign, filling = filled
    claims = views.claims(database, campaign.id)
    assert len(claims) == filling.rows["claim"]
    assert {claim.agent for claim in claims} == {"agent-0", "agent-1", "agent-2"}
    handed_in = views.submissions(database, campaign.id)
    assert len(handed_in) == filling.rows["submission"]
    assert len({one.solution.digest for one in handed_in}) == len(handed_in)
    assert len(views.benchmarks(database, campaign.id)) == filling.rows["decision"]
    told = views.conclusions(database, campaign.id, limit=ROWS)
    assert {conclusion.kind for conclusion in told} == {"win", "trap"}
    assert views.leaderboard(database, campaign.id, 5)


def test_a_board_goes_on_where_it_was(filled):
    database, campaign, filling = filled
    filling.grow(2 * ROWS)
    assert len(views.claims(database, campaign.id)) == filling.rows["claim"]
    assert views.latest_seq(database, campaign.id) == filling.rows["fact"]


def test_the_steps_of_a_larger_answer_are_more(filled):
    database, campaign, _ = filled
    with counting(database) as few:
        views.claim(database, "c_000000000001")
    with counting(database) as many:
        views.claims(database, campaign.id)
        views.submissions(database, campaign.id)
    assert few.taken <= GRAIN < many.taken
