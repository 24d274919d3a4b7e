"""How many steps SQLite's machine takes: what a call costs the database, whatever host it runs on.

    with counting(database) as steps: …; steps.taken

Start at `counting`. Steps are counted by the hundred. Not here: clocks.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from memory.engine import Database

GRAIN = 100


class Steps:
    """Steps of all connections of one database."""

    def __init__(self) -> None:
        self.taken = 0

    def add(self) -> None:
        """So many more were taken."""
        self.taken += GRAIN


@contextmanager
def counting(database: Database) -> Iterator[Steps]:
    """For the block: count the steps of every statement."""
    steps = Steps()
    pool = database.engine.pool

    def checked_out(connection: sqlite3.Connection, *_: Any) -> None:
        connection.set_progress_handler(steps.add, GRAIN)

    event.listen(pool, "checkout", checked_out)
    try:
        yield steps
    finally:
        event.remove(pool, "checkout", checked_out)
