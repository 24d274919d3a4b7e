"""The `campaign` commands that pause a campaign and let it go on, beside a running server or not.

A running server reads it off the board at its next answer.

Start at `move`. Not here: copies of a campaign (`copying`), ending one (`report`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from guard.domain.errors import BadValue, UnknownProblem
from memory import views
from memory.board import Board
from memory.engine import Database, open_database, read_database
from memory.records import Campaign
from server.answers import quoted
from server.settings import Settings

MAX_REASON = 300
_DONE = {"paused": "is paused; jobs under way finish", "resumed": "goes on"}
_ALREADY = {"paused": "was paused already", "resumed": "was not paused"}


def move(
    settings: Settings, problem: str, kind: Literal["paused", "resumed"], reason: str = ""
) -> None:
    """Pause the newest open campaign (or the one on a problem), or let it go on; say so.

    Raises:
        BadValue: there is none, or the reason is too long.
        UnknownProblem: no open campaign is on this problem.
    """
    said = " ".join(quoted(reason).split())
    if len(said) > MAX_REASON:
        raise BadValue("--reason", f"must have at most {MAX_REASON} characters.")
    with beside(settings) as database:
        campaign = newest_open(database, problem)
        done = Board(database).move(campaign.id, kind, said)
    told = _DONE[kind] if done else _ALREADY[kind]
    print(f"Campaign {campaign.id} ({campaign.problem.name} on {campaign.device}) {told}.")


def newest_open(database: Database, problem: str) -> Campaign:
    """The newest campaign that has not ended, or the newest on one problem."""
    found = [c for c in views.campaigns(database) if c.ended_s is None]
    wanted = [c for c in found if problem in ("", c.problem.name)]
    if wanted:
        return wanted[-1]
    if problem:
        raise UnknownProblem(problem, {c.problem.name for c in found})
    raise BadValue("--db", "no campaign goes on there.")


@contextmanager
def beside(settings: Settings) -> Iterator[Database]:
    """The database for writing, whether or not a server holds it; it must exist."""
    # A mistyped --db must not make a new, empty board.
    read_database(settings.db).close()
    database = open_database(settings.db, exclusive=False)
    try:
        yield database
    finally:
        database.close()
