"""Full-text search over conclusions: SQLite's index of words, and plain LIKE in other products.

    campaign × words -> numbers of the newest conclusions that hold all of them

Words are compared by their stems (*tile* finds *tiles*); LIKE compares letters.

Start at `matching`. Not here: the words of a search (`words`), the index of words
(`conclusion_table`), which of the found ones a reader may see (`pool`).
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, func, or_, text
from sqlmodel import Session, col, select

from memory.conclusion_table import ConclusionRow


class Bounds(NamedTuple):
    """Where is searched."""

    campaign_id: int
    since: int = 0
    """Only what is newer than this."""
    among: Collection[int] | None = None
    """Only of these; none: of all."""
    limit: int = 100
    """The newest of what is found."""


def matching(session: Session, words: Collection[str], where: Bounds) -> list[int]:
    """The newest conclusions that hold all these words, the newest first."""
    known = session.get_bind().dialect.name == "sqlite"
    return (by_index if known else by_letters)(session, words, where)


def by_index(session: Session, words: Collection[str], where: Bounds) -> list[int]:
    """The same from SQLite's index of words."""
    asked = " AND ".join(f'"{word}"' for word in words)
    query = f"campaign : c{where.campaign_id} AND {{strategy note reflection}} : ({asked})"
    parameters: dict[str, Any] = {"query": query, "since": where.since, "limit": where.limit}
    among = "" if where.among is None else " AND rowid IN :among"
    found = text(
        "SELECT rowid FROM conclusion_text WHERE conclusion_text MATCH :query"
        f" AND rowid > :since{among} ORDER BY rowid DESC LIMIT :limit"
    )
    if where.among is not None:
        found = found.bindparams(bindparam("among", expanding=True))
        parameters["among"] = list(where.among)
    return list(session.connection().scalars(found, parameters))


def by_letters(session: Session, words: Collection[str], where: Bounds) -> list[int]:
    """The same in any product: words are sought as letters, and every text is read."""
    wanted = select(ConclusionRow.seq).where(
        ConclusionRow.campaign_id == where.campaign_id,
        ConclusionRow.seq > where.since,
        *map(_holds, words),
    )
    if where.among is not None:
        wanted = wanted.where(col(ConclusionRow.seq).in_(where.among))
    return list(session.exec(wanted.order_by(col(ConclusionRow.seq).desc()).limit(where.limit)))


def _holds(word: str) -> ColumnElement[bool]:
    # A word holds letters and digits alone, so nothing in it is a wildcard.
    texts = (ConclusionRow.strategy, ConclusionRow.note, ConclusionRow.reflection)
    return or_(*(func.lower(each).like(f"%{word}%") for each in texts))
