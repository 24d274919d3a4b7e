"""The conclusions that a reader is answered from: a few short lists, however large the board is.

    campaign × Policy × what is asked -> the conclusions to choose from, with repeats merged

Without a bound on what is kept, these are the newest and the best of the board, of the reader's
lane and of its strategy, each list as long as `SHORT`: what is on none of them is found by its
words. Any other retention keeps few enough to take all of them through `retention`.

`pool` is for a reader who wants the most useful ones, `news` for one who wants all that is new.

Start at `pool`. Not here: what is shown first (`coordinator.relevance`), how words are sought
(`search`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from guard.domain.decision import Policy, Retention
from guard.domain.value import Value
from memory.conclusion import Conclusion, ConclusionKind
from memory.conclusion_table import ConclusionRow
from memory.engine import Database
from memory.overturned import overturned
from memory.retention import Reader, retained
from memory.rows import conclusion_of
from memory.search import Bounds, matching

SHORT = 32
"""Conclusions of one list."""
FOUND = 128
"""Newest conclusions that hold the words of a search."""
OWN = 512
"""Newest conclusions of one agent that private retention looks at."""
_FIRST = col(ConclusionRow.repeats).is_(None)
_OLDEST = (col(ConclusionRow.seq).asc(),)
_NEWEST = (col(ConclusionRow.seq).desc(),)
_BEST = (col(ConclusionRow.speedup).desc().nulls_last(), col(ConclusionRow.seq).desc())


class Asked(Value):
    """What a reader wants to know."""

    reader: Reader = Reader()
    strategy: str = ""
    lane: str = ""
    """Those of the reader's claim; empty: none."""
    kinds: tuple[ConclusionKind, ...] = ("win", "trap")
    words: tuple[str, ...] = ()
    """All of them are in each conclusion; none: no search."""
    since: int = 0


def pool(
    database: Database, campaign_id: int, policy: Policy, asked: Asked
) -> tuple[Conclusion, ...]:
    """The conclusions of one campaign to choose from, oldest first."""
    if policy.retention is Retention.NONE:
        return ()
    with database.read() as session:
        if policy.retention is Retention.UNBOUNDED:
            return _told(session, campaign_id, _from_all(session, campaign_id, asked))
        kept = _kept(session, campaign_id, policy, asked.reader)
        seqs = {c.seq for c in kept if c.kind in asked.kinds and c.seq > asked.since}
        if asked.words:
            # What repeats a kept one is found by the words of the kept one.
            where = Bounds(campaign_id, asked.since, seqs, len(seqs))
            seqs = set(matching(session, asked.words, where))
        return tuple(c for c in kept if c.seq in seqs)


def news(
    database: Database, campaign_id: int, policy: Policy, asked: Asked, limit: int
) -> tuple[Conclusion, ...]:
    """The first `limit` that came after `asked.since`, oldest first; `asked.words` do not count.

    None is left out between those given, so who goes on after the last of them misses nothing. What
    repeats an earlier one is no news.
    """
    if policy.retention is not Retention.UNBOUNDED:
        return pool(database, campaign_id, policy, asked.model_copy(update={"words": ()}))[:limit]
    newer = col(ConclusionRow.seq) > asked.since
    with database.read() as session:
        rows = [
            row
            for kind in asked.kinds
            for row in _list(session, campaign_id, kind, limit, newer, order=_OLDEST)
        ]
        first = sorted(rows, key=lambda row: row.seq)[:limit]
        return _told(session, campaign_id, first)


def opposed(
    database: Database, campaign_id: int, policy: Policy, shown: Sequence[Conclusion], asked: Asked
) -> dict[int, tuple[Conclusion, ...]]:
    """By `seq`, of those shown: what the same readers may see that says the opposite."""
    if policy.retention is Retention.UNBOUNDED:
        found = _opposites(database, campaign_id, shown)
    else:
        everything = Asked(reader=asked.reader)
        found = pool(database, campaign_id, policy, everything)
    return {
        one.seq: others
        for one in shown
        if (others := tuple(c for c in found if one.seq == c.against or c.seq == one.against))
    }


# --- unbounded ------------------------------------------------------------------------------


def _from_all(session: Session, campaign_id: int, asked: Asked) -> list[ConclusionRow]:
    if asked.words:
        where = Bounds(campaign_id, asked.since, None, FOUND)
        found = _rows(session, matching(session, asked.words, where))
        # A repeat that was found stands for the first that told it.
        firsts = {row.repeats or row.seq for row in found}
        return [row for row in _rows(session, firsts) if row.kind in asked.kinds]
    lists = (each for kind in asked.kinds for each in _lists(session, campaign_id, kind, asked))
    return list({row.seq: row for rows in lists for row in rows}.values())


def _lists(
    session: Session, campaign_id: int, kind: ConclusionKind, asked: Asked
) -> Iterator[Sequence[ConclusionRow]]:
    newer = col(ConclusionRow.seq) > asked.since
    wanted: list[tuple[ColumnElement[bool], ...]] = [(newer,)]
    if asked.lane:
        wanted.append((newer, col(ConclusionRow.lane) == asked.lane))
    for conditions in wanted:
        yield _list(session, campaign_id, kind, SHORT, *conditions)
        if kind == "win" and not asked.since:
            yield _list(session, campaign_id, kind, SHORT, *conditions, order=_BEST)
    if asked.strategy:
        of_strategy = col(ConclusionRow.strategy) == asked.strategy
        yield _list(session, campaign_id, kind, SHORT, newer, of_strategy)


def _list(
    session: Session,
    campaign_id: int,
    kind: str,
    limit: int,
    *conditions: ColumnElement[bool],
    order: tuple[ColumnElement[Any], ...] = _NEWEST,
) -> Sequence[ConclusionRow]:
    return session.exec(
        select(ConclusionRow)
        .where(ConclusionRow.campaign_id == campaign_id, ConclusionRow.kind == kind, _FIRST)
        .where(*conditions)
        .order_by(*order)
        .limit(limit)
    ).all()


def _opposites(
    database: Database, campaign_id: int, shown: Sequence[Conclusion]
) -> tuple[Conclusion, ...]:
    """What each of these contradicts, and the newest that contradicts it."""
    mine, other = aliased(ConclusionRow), aliased(ConclusionRow)
    newest = select(func.max(other.seq)).where(other.against == mine.seq).scalar_subquery()
    with database.read() as session:
        pointing = session.exec(select(newest).where(col(mine.seq).in_([c.seq for c in shown])))
        seqs = {c.against for c in shown if c.against} | {seq for seq in pointing if seq}
        return _told(session, campaign_id, _rows(session, seqs))


# --- private and bounded --------------------------------------------------------------------


def _kept(
    session: Session, campaign_id: int, policy: Policy, reader: Reader
) -> tuple[Conclusion, ...]:
    if policy.retention is Retention.PRIVATE:
        own = (
            select(ConclusionRow)
            .where(
                ConclusionRow.campaign_id == campaign_id,
                ConclusionRow.token == reader.token,
                ConclusionRow.agent == reader.agent,
            )
            .order_by(*_NEWEST)
            .limit(OWN)
        )
        rows = session.exec(own).all()
        fallen = overturned(session, campaign_id, rows)
        found = (conclusion_of(row, fallen.get(row.seq, ())) for row in rows)
        return retained(found, policy, reader)
    traps = _told(session, campaign_id, _list(session, campaign_id, "trap", policy.kept))
    told = (*_best_wins(session, campaign_id, policy.kept), *traps)
    times = {c.seq: c.times for c in told}
    kept = retained(told, policy, reader)
    # These are the firsts alone; how often each was told again is known from its repeats.
    return tuple(c.model_copy(update={"times": times[c.seq]}) for c in kept)


def _best_wins(session: Session, campaign_id: int, kept: int) -> list[Conclusion]:
    """The best wins, on and on until enough of them still stand."""
    found: list[Conclusion] = []
    while True:
        rows = session.exec(
            select(ConclusionRow)
            .where(ConclusionRow.campaign_id == campaign_id, ConclusionRow.kind == "win", _FIRST)
            .order_by(*_BEST)
            .offset(len(found))
            .limit(kept)
        ).all()
        found += _told(session, campaign_id, rows)
        if len(rows) < kept or sum(win.sound for win in found) >= kept:
            return found


# --- all ------------------------------------------------------------------------------------


def _told(
    session: Session, campaign_id: int, rows: Sequence[ConclusionRow]
) -> tuple[Conclusion, ...]:
    """These rows as conclusions, marked, each with how often it was told by now."""
    fallen = overturned(session, campaign_id, rows)
    times = _times(session, [row.seq for row in rows])
    found = (conclusion_of(row, fallen.get(row.seq, ()), times.get(row.seq, 1)) for row in rows)
    return tuple(sorted(found, key=lambda c: c.seq))


def _times(session: Session, seqs: Sequence[int]) -> dict[int, int]:
    """By `seq`, of those that were told again: how often by now."""
    first, again = aliased(ConclusionRow), aliased(ConclusionRow)
    # One step into an index for each: a lesson may have been told a hundred thousand times.
    newest = (
        select(again.times)
        .where(again.repeats == first.seq)
        .order_by(col(again.times).desc())
        .limit(1)
        .scalar_subquery()
    )
    found = session.exec(select(first.seq, newest).where(col(first.seq).in_(seqs)))
    return {seq: times for seq, times in found if times}


def _rows(session: Session, seqs: Iterable[int]) -> Sequence[ConclusionRow]:
    return session.exec(select(ConclusionRow).where(col(ConclusionRow.seq).in_(set(seqs)))).all()
