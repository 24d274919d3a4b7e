"""Records that never change once they are there: read and parsed once, then kept for every reader.

    session × key × how it is made -> the record

Only what a read saw is kept: what a transaction has written may be undone. The oldest use is
forgotten first. Start at `keep`. Not here: which records never change (their readers say so).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from sqlmodel import Session

T = TypeVar("T")
KEPT = "kept"
"""Where a reading session has its database's `Kept`."""
MOST = 256
"""Records that are kept; the largest holds a source of 256 KiB."""


class Kept:
    """The records that one database keeps."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._records: OrderedDict[Hashable, Any] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """The record under this key, or None."""
        with self._turn:
            if key not in self._records:
                return None
            self._records.move_to_end(key)
            return self._records[key]

    def put(self, key: Hashable, record: Any) -> None:
        """Keep it."""
        with self._turn:
            self._records[key] = record
            self._records.move_to_end(key)
            while len(self._records) > self._most:
                self._records.popitem(last=False)


def keep(session: Session, key: Hashable, make: Callable[[], T]) -> T:
    """The record that is kept under this key, or that is made now."""
    kept: Kept | None = session.info.get(KEPT)
    if kept is None:
        return make()
    found: T | None = kept.get(key)
    if found is None:
        found = make()
        kept.put(key, found)
    return found
