"""The ordered steps, and the table that records which of them a database has taken.

    check -> version found, or DatabaseNewer            apply -> every missing step, in order

The first step creates the tables of today, so a fresh database records the later ones without
running them. Everything happens in the caller's transaction, so a step that fails leaves nothing.

Start at `apply`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Integer,
    MetaData,
    Table,
    Text,
    func,
    inspect,
    select,
)

from guard.domain.errors import BadValue, DatabaseNewer


@dataclass(frozen=True)
class Step:
    """One change of the schema."""

    says: str
    run: Callable[[Connection], None]


STEPS: dict[int, Step] = {}
"""All steps by the version they lead to."""

VERSIONS = Table(
    "schema_version",
    MetaData(),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("says", Text, nullable=False),
    Column("taken_s", Float, nullable=False),
)


def step(
    version: int, says: str
) -> Callable[[Callable[[Connection], None]], Callable[[Connection], None]]:
    """Register a function as the step that leads to `version`."""

    def register(run: Callable[[Connection], None]) -> Callable[[Connection], None]:
        STEPS[version] = Step(says, run)
        return run

    return register


def latest(steps: Mapping[int, Step] = STEPS) -> int:
    """The version this program writes."""
    return max(steps)


def check(connection: Connection, shown: str, steps: Mapping[int, Step] = STEPS) -> int:
    """The version of a database, 0 when it is empty; changes nothing.

    Raises:
        DatabaseNewer: it has steps that this program does not know.
        BadValue: its tables belong to another program.
    """
    names = inspect(connection).get_table_names()
    if VERSIONS.name not in names:
        if names:
            raise BadValue("--db", f"{shown} holds the tables of another program")
        return 0
    found = connection.scalar(select(func.max(VERSIONS.c.version))) or 0
    if found > latest(steps):
        raise DatabaseNewer(shown, found, latest(steps))
    return int(found)


def apply(connection: Connection, shown: str, steps: Mapping[int, Step] = STEPS) -> None:
    """Take and record every step that a database lacks."""
    found = check(connection, shown, steps)
    if found == 0:
        VERSIONS.create(connection)
        steps[1].run(connection)
    for version in sorted(steps):
        if version <= found:
            continue
        if found > 0:
            steps[version].run(connection)
        connection.execute(
            VERSIONS.insert().values(version=version, says=steps[version].says, taken_s=time.time())
        )
