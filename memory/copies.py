"""A campaign as lines of JSON, and back onto another board: every row of it, sources by hash.

    campaign -> header, one line per row          lines -> checked, renumbered, one transaction

On an empty board a copy has the very numbers of the original; on another its numbers are moved
behind those that are taken. Start at `lines_of` and `take_in`. Not here: files (`server.copying`).
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json
from sqlalchemy import ColumnElement, RowMapping, Table, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import Session, col
from sqlmodel import select as pick

from guard.domain.errors import BadValue
from memory import migrations
from memory.base import Row
from memory.course import course_of
from memory.engine import Database
from memory.records import Campaign, JobState
from memory.references import CAMPAIGN, Values, renumbered, root
from memory.rows import benchmarks_of, campaigns_of, require_campaign, submissions_of
from memory.tables import (
    CampaignRow,
    ClaimRow,
    DecisionRow,
    FactRow,
    JobRow,
    SolutionRow,
    SourceRow,
    SubmissionRow,
)
from memory.text import hash_of
from memory.writes.course import move

FORMAT = 1
BOARD_WIDE = frozenset({"token"})
"""Tables that belong to no campaign."""
BY_HASH = ("source", "solution")
COPIED = "copied from another board"


def tables() -> dict[str, Table]:
    """All tables of which a campaign has rows, each after those it refers to."""
    return {t.name: t for t in Row.metadata.sorted_tables if t.name not in BOARD_WIDE}


# --- out ------------------------------------------------------------------------------------


def lines_of(database: Database, campaign_id: int) -> Iterator[str]:
    """The copy of a campaign, line by line, from one consistent snapshot."""
    with database.read() as session:
        campaign = require_campaign(session, campaign_id)
        header = {"format": FORMAT, "schema": migrations.latest(), "problem": campaign.problem_name}
        yield json.dumps({"kernelarc": "campaign", **header})
        found = {
            name: [dict(row) for row in _rows(session, table, campaign_id)]
            for name, table in tables().items()
            if name not in BY_HASH
        }
        for name, rows in _by_hash(session, found).items():
            yield from (_line(name, row) for row in rows)
        for name, rows in found.items():
            yield from (_line(name, row) for row in rows)


def _line(table: str, row: Values) -> str:
    return json.dumps({"table": table, **row}, ensure_ascii=False)


def _rows(session: Session, table: Table, campaign_id: int) -> Iterable[RowMapping]:
    wanted = select(table).where(_of(table, campaign_id)).order_by(*table.primary_key.columns)
    return session.connection().execute(wanted).mappings()


def _of(table: Table, campaign_id: int) -> ColumnElement[bool]:
    """Which rows of a table are a campaign's: by its id, or through what they belong to."""
    if table.name == "campaign":
        return table.c.id == campaign_id
    if "campaign_id" in table.c:
        return table.c.campaign_id == campaign_id
    for name, owner in (("submission_id", SubmissionRow), ("claim_id", ClaimRow)):
        if name in table.c:
            ids = pick(col(owner.id)).where(owner.campaign_id == campaign_id)
            return table.c[name].in_(ids)
    return table.c.seq.in_(pick(col(FactRow.seq)).where(FactRow.campaign_id == campaign_id))


def _by_hash(session: Session, found: dict[str, list[Values]]) -> dict[str, list[Values]]:
    """The solutions of a campaign's rows, their sources, and its listings."""
    digests = {row["baseline_digest"] for row in found["campaign"]}
    digests |= {row["solution_digest"] for row in found["submission"] + found["promotion"]}
    chosen = pick(SolutionRow).where(col(SolutionRow.digest).in_(digests))
    solutions = [row.model_dump() for row in session.exec(chosen.order_by(col(SolutionRow.digest)))]
    texts = {s["content"] for row in solutions for s in from_json(row["body"])["sources"]}
    reports = [from_json(row["compiled"]) for row in found["verification"]]
    reports += [from_json(row["verification"])["compiled"] for row in found["attempt"]]
    texts |= {listing["digest"] for report in reports for listing in report["listings"]}
    kept = pick(SourceRow).where(col(SourceRow.sha256).in_(texts)).order_by(col(SourceRow.sha256))
    return {"source": [row.model_dump() for row in session.exec(kept)], "solution": solutions}


# --- in -------------------------------------------------------------------------------------


def take_in(database: Database, lines: Iterable[str], now_s: float) -> Campaign:
    """Store a copy as a campaign of this board; one that was open comes in paused.

    Raises:
        BadValue: it is no copy, was made by another version, was changed, or is here already.
    """
    rows = _parsed(lines)
    try:
        with database.write() as session:
            campaign_id = _stored(session, rows, now_s)
            campaign = session.get_one(CampaignRow, campaign_id)
            _require_readable(session, campaign_id)
            return campaigns_of(session, [campaign])[0]
    except (IntegrityError, StatementError) as error:
        raise BadValue("file", f"its rows do not fit together: {error.args[0]}") from error
    except (ValidationError, KeyError, TypeError) as error:
        raise BadValue("file", f"a row of it cannot be read: {str(error)[:300]}") from error


def _parsed(lines: Iterable[str]) -> dict[str, list[Values]]:
    known = tables()
    found: dict[str, list[Values]] = {name: [] for name in known}
    head, number = True, 0
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadValue("file", f"line {number} is no JSON: {error}") from error
        if head:
            _require_same_schema(row)
            head = False
            continue
        table = known.get(str(row.pop("table", ""))) if isinstance(row, dict) else None
        if table is None or row.keys() != set(table.c.keys()):
            raise BadValue("file", f"line {number} is no row of a campaign.")
        found[table.name].append(row)
    if len(found["campaign"]) != 1:
        raise BadValue("file", f"it holds no whole campaign in its {number} lines.")
    return found


def _require_same_schema(header: Any) -> None:
    if not isinstance(header, dict) or header.get("kernelarc") != "campaign":
        raise BadValue("file", "it is no copy of a campaign.")
    made = (header.get("format"), header.get("schema"))
    if made != (FORMAT, migrations.latest()):
        reason = f"it has format {made[0]} and schema {made[1]}; known here: {FORMAT} and "
        raise BadValue("file", f"{reason}{migrations.latest()}.")


def _stored(session: Session, rows: dict[str, list[Values]], now_s: float) -> int:
    _require_new(session, rows)
    shifts = _shifts(session)
    for name, table in tables().items():
        for row in rows[name]:
            if name == "source" and hash_of(row["content"]) != row["sha256"]:
                raise BadValue("file", f"source {row['sha256']} was changed.")
            if name in BY_HASH and session.get(_KEPT[name], row[_KEY[name]]) is not None:
                continue
            session.connection().execute(insert(table).values(renumbered(table, row, shifts)))
    campaign_id = int(rows["campaign"][0]["id"]) + shifts[CAMPAIGN]
    if rows["campaign"][0]["ended_s"] is None:
        _rest(session, campaign_id, now_s)
    return campaign_id


_KEPT: dict[str, type[Row]] = {"source": SourceRow, "solution": SolutionRow}
_KEY = {"source": "sha256", "solution": "digest"}


def _require_new(session: Session, rows: dict[str, list[Values]]) -> None:
    wanted = rows["campaign"][0]
    claims = [row["id"] for row in rows["claim"]]
    if session.exec(pick(ClaimRow.id).where(col(ClaimRow.id).in_(claims))).first() is not None:
        raise BadValue("file", "this campaign is on that board already.")
    same = and_(
        col(CampaignRow.problem_name) == wanted["problem_name"],
        col(CampaignRow.device) == wanted["device"],
        col(CampaignRow.ended_s).is_(None),
    )
    if wanted["ended_s"] is None and session.exec(pick(CampaignRow.id).where(same)).first():
        raise BadValue(
            "file",
            "another campaign goes on there on the same problem and device.",
            hint="End it first with `kernelarc report --end`.",
        )


def _shifts(session: Session) -> dict[str, int]:
    """For each sequence of numbers, the last one that is taken."""
    columns = [column for table in tables().values() for column in table.c]
    roots = {name: c for c in columns if (name := root(c)) and not c.foreign_keys}
    connection = session.connection()
    return {
        name: connection.execute(select(func.max(column))).scalar() or 0
        for name, column in roots.items()
    }


def _rest(session: Session, campaign_id: int, now_s: float) -> None:
    """Nothing of a copy runs by itself: it waits for `campaign resume`, its jobs are lost."""
    if course_of(session, campaign_id).pause is None:
        move(session, campaign_id, "paused", COPIED, now_s)
    mine = pick(col(SubmissionRow.id)).where(SubmissionRow.campaign_id == campaign_id)
    session.exec(
        update(JobRow)
        .where(
            col(JobRow.submission_id).in_(mine),
            col(JobRow.state).in_([JobState.QUEUED.value, JobState.RUNNING.value]),
        )
        .values(state=JobState.LOST.value, reason=COPIED, finished_s=now_s)
    )


def _require_readable(session: Session, campaign_id: int) -> None:
    """Read everything once, so that a copy that was changed is refused as a whole."""
    rows = session.exec(pick(SubmissionRow).where(SubmissionRow.campaign_id == campaign_id)).all()
    for submission, row in zip(submissions_of(session, rows), rows, strict=True):
        if submission.solution.digest != row.solution_digest:
            raise BadValue("file", f"solution {row.solution_digest} was changed.")
    ids = [row.id for row in rows]
    decided = pick(DecisionRow).where(col(DecisionRow.submission_id).in_(ids))
    benchmarks_of(session, session.exec(decided).all())
