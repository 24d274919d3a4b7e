"""A board on a database of its own for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.board import Board
from memory.engine import Database, open_database
from memory.records import Campaign
from tests.memory.builders import NOW, start


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as it is right after its creation; creating one takes longer than most tests."""
    file = tmp_path_factory.mktemp("fresh") / "board.db"
    open_database(f"sqlite:///{file}").close()
    return file


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/state/board.db"


@pytest.fixture
def database(url: str, tmp_path: Path, fresh: Path) -> Iterator[Database]:
    (tmp_path / "state").mkdir()
    shutil.copy(fresh, tmp_path / "state" / "board.db")
    opened = open_database(url)
    yield opened
    opened.close()


@pytest.fixture
def board(database: Database) -> Board:
    return Board(database, clock=lambda: NOW)


@pytest.fixture
def campaign(board: Board) -> Campaign:
    return start(board)
