from pathlib import Path

import pytest

from guard.domain.errors import BadValue
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Token
from tests.memory.builders import NOW


def test_a_secret_names_its_owner_until_it_is_revoked(database: Database, board: Board) -> None:
    secret = board.add_token("ada")
    other = board.add_token("bob")
    assert views.token_name(database, secret) == "ada"

    board.revoke_token("ada")

    assert views.token_name(database, secret) is None
    assert views.token_name(database, other) == "bob"
    assert views.tokens(database) == (
        Token(name="ada", created_s=NOW, revoked_s=NOW),
        Token(name="bob", created_s=NOW),
    )


def test_a_revoked_name_may_be_used_again(database: Database, board: Board) -> None:
    old = board.add_token("ada")
    board.revoke_token("ada")

    new = board.add_token("ada")

    assert (views.token_name(database, old), views.token_name(database, new)) == (None, "ada")


def test_a_secret_is_not_in_the_file(database: Database, board: Board) -> None:
    secret = board.add_token("ada")

    files = Path(str(database.engine.url.database)).parent.glob("board.db*")
    assert all(secret.encode() not in file.read_bytes() for file in files)


@pytest.mark.parametrize("name", ["", "local", "two words", "ada", "-x", "x" * 65, "naïve\n"])
def test_a_name_that_cannot_be_used_is_refused(board: Board, name: str) -> None:
    board.add_token("ada")

    with pytest.raises(BadValue):
        board.add_token(name)


def test_revoking_needs_a_valid_token(board: Board) -> None:
    with pytest.raises(BadValue, match="'ada'"):
        board.revoke_token("ada")
