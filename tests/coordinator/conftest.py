"""A real board in a temporary folder, and one campaign on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from coordinator import catalogue
from coordinator.claims import Claims
from guard.domain.decision import Policy
from memory.board import Board
from memory.engine import Database, open_database
from memory.records import Campaign
from tests.coordinator.fakes import CPU, baseline, problem
from tests.coordinator.road import Road


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'board.db'}")
    yield database
    database.close()


@pytest.fixture
def board(database: Database) -> Board:
    return Board(database)


@pytest.fixture
def campaign(board: Board) -> Campaign:
    return board.start_campaign(problem(), "cpu", "a cpu", Policy(), baseline())


@pytest.fixture
def claims(board: Board, database: Database) -> Claims:
    return Claims(board, database, catalogue.load(), devices={"cpu": CPU})


@pytest.fixture
def road(board: Board, database: Database) -> Road:
    return Road(board, database, Policy(lane_after=2, cooldown=0))
