"""The `campaign export` and `campaign import` commands: a campaign as a file.

    board -> lines of JSON -> file -> another board

Start at `export`. Not here: what a copy holds (`memory.copies`).
"""

import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path

from guard.domain.errors import BadValue, UnknownProblem
from memory import copies, views
from memory.engine import Database, open_database, read_database
from memory.records import Campaign
from server.settings import Settings


def export(settings: Settings, file: Path, problem: str, number: int) -> None:
    """Write the newest campaign (or the one that is asked for) to a new file.

    Raises:
        BadValue: there is no such campaign, or the file cannot be written.
        UnknownProblem: no campaign is on this problem.
    """
    database = read_database(settings.db)
    try:
        campaign = _chosen(database, problem, number)
        lines = _written(file, copies.lines_of(database, campaign.id))
    finally:
        database.close()
    print(f"Campaign {campaign.id} ({campaign.problem.name} on {campaign.device}): {lines} lines.")


def take_in(settings: Settings, file: Path) -> None:
    """Add a copied campaign to the board, which is made if there is none.

    Raises:
        BadValue: the file cannot be read or is no copy, or the board cannot take it.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadValue("file", f"{str(file)!r} cannot be read: {error}") from error
    database = open_database(settings.db, exclusive=False)
    try:
        campaign = copies.take_in(database, text.split("\n")[:-1], time.time())
    finally:
        database.close()
    rests = "" if campaign.ended_s else "; it is paused: `kernelarc campaign resume` lets it go on"
    print(f"Campaign {campaign.id} ({campaign.problem.name} on {campaign.device}) is here{rests}.")


def _chosen(database: Database, problem: str, number: int) -> Campaign:
    found = views.campaigns(database)
    wanted = [c for c in found if problem in ("", c.problem.name) and number in (0, c.id)]
    if problem and problem not in {c.problem.name for c in found}:
        raise UnknownProblem(problem, {c.problem.name for c in found})
    if not wanted:
        raise BadValue("--id", f"there is no campaign {number or ''}".rstrip() + ".")
    return wanted[-1]


def _written(file: Path, lines: Iterable[str]) -> int:
    """Write the file as a whole or not at all; how many lines it has."""
    part = file.with_name(file.name + ".part")
    count = 0
    try:
        if file.exists():
            raise FileExistsError(errno.EEXIST, "it is there already")
        with part.open("x", encoding="utf-8", newline="\n") as out:
            os.fchmod(out.fileno(), 0o600)
            for line in lines:
                out.write(line + "\n")
                count += 1
        part.rename(file)
    except OSError as error:
        raise BadValue("file", f"{str(file)!r}: {error.strerror}.") from error
    return count
