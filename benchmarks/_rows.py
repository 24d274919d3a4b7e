"""Rows that are made for a board, and the numbers that they are given.

Start at `NewRows`. Not here: which rows (`_stints`), writing them (`_filling`).
"""

from collections import Counter
from collections.abc import Sequence

from memory.base import Row
from memory.tables import FactRow


class NewRows:
    """Rows of one campaign, until they are taken."""

    def __init__(self, campaign_id: int) -> None:
        self._campaign_id = campaign_id
        self._rows: list[Row] = []
        self.last: Counter[str] = Counter()
        """The number that was given last, by what it numbers."""

    def add(self, *rows: Row) -> None:
        """Keep these rows."""
        self._rows += rows

    def number(self, what: str) -> int:
        """The next number of its kind, from 1."""
        self.last[what] += 1
        return self.last[what]

    def fact(self, kind: str) -> int:
        """The next number of the board's one sequence."""
        seq = self.number("fact")
        self.add(FactRow(seq=seq, campaign_id=self._campaign_id, kind=kind))
        return seq

    def take(self) -> Sequence[Row]:
        """All rows since the last time."""
        rows, self._rows = self._rows, []
        return rows
