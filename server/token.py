"""The `token` commands: one token per agent instance, its secret shown once.

A running server sees a new or revoked token at the next call; whether tokens are required at all
it decides when it starts.

Start at `add`. Not here: checking tokens (`auth`), storing them (`memory.board`).
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from memory import views
from memory.board import Board
from memory.engine import Database, open_database, read_holder
from server.settings import Settings
from server.show import moment


def add(settings: Settings, name: str) -> None:
    """Make a token; the secret alone goes to standard output."""
    with _database(settings) as database:
        first = not any(token.revoked_s is None for token in views.tokens(database))
        print(Board(database).add_token(name))
    print("This secret is shown once. Give it to the agent as KERNELARC_TOKEN.", file=sys.stderr)
    if first and read_holder(settings.db) is not None:
        print("Restart the running server: from then on it requires tokens.", file=sys.stderr)


def show(settings: Settings) -> None:
    """List names and dates."""
    with _database(settings) as database:
        tokens = views.tokens(database)
    for token in tokens:
        end = f"revoked {moment(token.revoked_s)}" if token.revoked_s else "valid"
        print(f"{token.name}  {end}  added {moment(token.created_s)}")
    if not tokens:
        print("No tokens: the server binds loopback only, and rows are unverified.")


def revoke(settings: Settings, name: str) -> None:
    """End a token's validity."""
    with _database(settings) as database:
        Board(database).revoke_token(name)
    print(f"Token {name!r} is revoked.")


@contextmanager
def _database(settings: Settings) -> Iterator[Database]:
    database = open_database(settings.db, exclusive=False)
    try:
        yield database
    finally:
        database.close()
