"""`server.health`: what a page is asked for over and over is read again only when it is new."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from guard.domain.decision import Policy
from memory.board import Board
from memory.engine import Database, open_database
from server.health import HealthLines
from tests.coordinator.fakes import baseline, problem, seeded


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(f"sqlite:///{tmp_path / 'board.db'}")
    yield opened
    opened.close()


def sigmas(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("kernelarc_sigma")]


def test_duels_are_read_again_only_once_there_is_a_newer_one(database: Database):
    board, lines = Board(database), HealthLines()
    campaign = board.start_campaign(problem(), "cpu", "a cpu", Policy(), baseline())
    board.record_health(seeded(campaign.id, *[0.001] * 6))
    read: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *told: read.append(told[2]))

    first = lines.read(database)
    before = sum("health.body" in statement for statement in read)
    again = lines.read(database)
    after = sum("health.body" in statement for statement in read)
    board.record_health(seeded(campaign.id, *[0.02] * 50))
    newer = lines.read(database)

    assert (before, after, again) == (1, 1, first)
    assert sigmas(first) != sigmas(newer)
    board.end_campaign(campaign.id)
    assert sigmas(lines.read(database)) == []
