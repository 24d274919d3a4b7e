"""Which columns hold numbers of this board, so that a campaign's rows can be renumbered.

    table, row × shifts -> row

A number may stand in a column (foreign keys tell which) or inside a JSON text, which is listed
here. Texts that people and agents wrote keep the numbers they were written with. Start at
`renumbered`. Not here: reading and writing copies (`copies`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Column, Integer, Table

from memory.text import to_text

Values = dict[str, Any]
Shifts = Mapping[str, int]
"""By ``table.column``: what is added to its numbers."""
CAMPAIGN, SEQ, SUBMISSION = "campaign.id", "fact.seq", "submission.id"


def root(column: Column[Any]) -> str:
    """The ``table.column`` that gives out a column's numbers; empty where it holds none."""
    for key in column.foreign_keys:
        return root(key.column)
    # A key of several columns counts within something, such as generations within a campaign.
    alone = column.primary_key and len(column.table.primary_key.columns) == 1
    owned = alone and isinstance(column.type, Integer)
    return f"{column.table.name}.{column.name}" if owned else ""


def renumbered(table: Table, row: Values, shifts: Shifts) -> Values:
    """A row with its numbers shifted; 0 names nothing, and stays."""
    found = dict(row)
    for column in table.columns:
        shift = shifts.get(root(column), 0)
        if shift and isinstance(found[column.name], int) and found[column.name]:
            found[column.name] += shift
    for name, change in _INSIDE.get(table.name, {}).items():
        if found[name]:
            found[name] = to_text(change(from_json(found[name]), shifts))
    return found


def _ids(found: list[int], shifts: Shifts) -> list[int]:
    return [number + shifts.get(SUBMISSION, 0) for number in found]


def _terms(found: Values, shifts: Shifts) -> Values:
    return _moved(found, {"aa_through": SEQ}, shifts)


def _health(found: Values, shifts: Shifts) -> Values:
    named = {
        "seq": SEQ,
        "campaign_id": CAMPAIGN,
        "champion_submission_id": SUBMISSION,
        "against_submission_id": SUBMISSION,
    }
    return {**_moved(found, named, shifts), "terms": _terms(found["terms"], shifts)}


def _measured(found: Values, shifts: Shifts) -> Values:
    return _moved(found, {"submission_id": SUBMISSION}, shifts)


def _moved(found: Values, named: Mapping[str, str], shifts: Shifts) -> Values:
    moved = {name: found[name] + shifts.get(kind, 0) for name, kind in named.items() if found[name]}
    return found | moved


_INSIDE: dict[str, dict[str, Callable[[Any, Shifts], Any]]] = {
    "submission": {"builds_on": _ids},
    "conclusion": {"submission_ids": _ids, "measured": _measured},
    "decision": {"terms": _terms},
    "health": {"body": _health},
}
"""Numbers within JSON texts, by table and column."""
