"""Fill a board as a long campaign of many agents would leave it, in bulk and without judging.

    Filling.grow(rows) -> so many rows, over all tables

Start at `Filling.grow`. Not here: what the rows are (`_stints`), a campaign that is empty
(`_board`).
"""

from collections import Counter, defaultdict

from benchmarks._stints import Stints
from memory.base import Row
from memory.engine import Database

AT_ONCE = 5_000
"""Rows of one transaction."""


class Filling:
    """Writes stint after stint, past every check."""

    def __init__(self, database: Database, stints: Stints) -> None:
        self._database = database
        self._stints = stints
        self.rows: Counter[str] = Counter()
        """How many were written, by table."""

    def grow(self, rows: int) -> None:
        """Go on until there are so many rows, or hardly more."""
        while (missing := rows - self.rows.total()) > 0:
            new: list[Row] = []
            while len(new) < min(AT_ONCE, missing):
                new += self._stints.another()
            self._write(new)

    def _write(self, rows: list[Row]) -> None:
        by_table: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_table[str(row.__tablename__)].append(row)
        with self._database.write() as session:
            # In the order in which tables refer to each other.
            for table in Row.metadata.sorted_tables:
                if made := [row.model_dump() for row in by_table.get(table.name, ())]:
                    session.connection().execute(table.insert(), made)
                    self.rows[table.name] += len(made)
