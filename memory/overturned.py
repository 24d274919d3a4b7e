"""What has become of the evidence of conclusions since they were posted.

    conclusions × revocations × later decisions -> why a conclusion no longer holds, if so

A conclusion is a fact and stays; whoever reads it is told that what it cites was revoked, lost to
a champion that was revoked, grew from one, or was judged otherwise when the same solution came
again. Every look-up is by a number or a digest, so it costs the same on a large board.

Start at `overturned`. Not here: what counts after a revocation (`succession`, `twins`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import from_json
from sqlalchemy.orm import load_only
from sqlmodel import Session, col, select

from guard.domain.decision import Verdict
from memory.conclusion_table import ConclusionRow
from memory.rows import revoked_digests
from memory.tables import DecisionRow, SubmissionRow

ANCESTORS = 256
"""Submissions looked at on the way back to what a cited one grew from, at most."""
_NEEDED = ("seq", "verdict", "champion_submission_id", "derived")
_DECIDED = load_only(*(getattr(DecisionRow, name) for name in _NEEDED), raiseload=True)
"""A decision without its duels, which are large."""
_LOST = (Verdict.ACCEPTED.value, Verdict.REVERTED.value)
_OTHERWISE = {
    "trap": (Verdict.PROMOTED.value,),
    "win": (Verdict.SUSPECT.value, Verdict.REJECTED.value),
}


@dataclass(frozen=True)
class _Cited:
    digest: str
    builds_on: tuple[int, ...]
    decision: DecisionRow | None


def overturned(
    session: Session, campaign_id: int, rows: Sequence[ConclusionRow]
) -> dict[int, tuple[str, ...]]:
    """By `seq`, of those conclusions whose evidence no longer bears them out: why."""
    citing = {row.seq: tuple(from_json(row.submission_ids)) for row in rows}
    cited = _load(session, {id_ for ids in citing.values() for id_ in ids})
    revoked = frozenset(revoked_digests(session, campaign_id))
    fallen = _fallen(session, cited, revoked) if revoked else {}
    again = _judged_again(session, campaign_id, cited)
    found = {}
    for row in rows:
        ids = citing[row.seq]
        said = [fallen[id_] for id_ in ids if id_ in fallen]
        said += _otherwise(row, ids, cited, again)
        if said:
            found[row.seq] = tuple(dict.fromkeys(said))
    return found


def _load(session: Session, ids: Iterable[int]) -> dict[int, _Cited]:
    rows = session.exec(
        select(SubmissionRow, DecisionRow)
        .outerjoin(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
        .where(col(SubmissionRow.id).in_(set(ids)))
        .options(_DECIDED)
    )
    return {
        row.id or 0: _Cited(row.solution_digest, tuple(from_json(row.builds_on)), decision)
        for row, decision in rows
    }


def _fallen(
    session: Session, cited: Mapping[int, _Cited], revoked: frozenset[str]
) -> dict[int, str]:
    """What a revocation did to each cited submission, if it did."""
    known = dict(cited)
    champions = {c.decision.champion_submission_id or 0 for c in cited.values() if c.decision}
    wanted = champions | {id_ for c in cited.values() for id_ in c.builds_on}
    while (missing := wanted - known.keys() - {0}) and len(known) < len(cited) + ANCESTORS:
        loaded = _load(session, missing)
        wanted = {id_ for c in loaded.values() for id_ in c.builds_on}
        known |= loaded
    cheats = {id_ for id_, one in known.items() if one.digest in revoked}
    tainted = set(cheats)
    # A parent has a smaller number than what builds on it.
    for id_ in sorted(known):
        if tainted.intersection(known[id_].builds_on):
            tainted.add(id_)
    return {
        id_: told
        for id_, one in cited.items()
        if (told := _told(id_, one, cheats=cheats, tainted=tainted))
    }


def _told(id_: int, one: _Cited, *, cheats: set[int], tainted: set[int]) -> str:
    decision = one.decision
    champion = decision.champion_submission_id if decision is not None else None
    if id_ in cheats:
        return f"submission {id_} was revoked"
    if decision is not None and champion in cheats:
        if decision.verdict in _LOST:
            return f"submission {id_} was compared with submission {champion}, revoked since"
        if decision.derived:
            return f"the figure of submission {id_} rests on submission {champion}, revoked since"
    return f"submission {id_} grew from what was revoked" if id_ in tainted else ""


def _judged_again(
    session: Session, campaign_id: int, cited: Mapping[int, _Cited]
) -> dict[str, list[DecisionRow]]:
    """By digest, every decision on these solutions, under whatever claim."""
    digests = {one.digest for one in cited.values()}
    rows = session.exec(
        select(SubmissionRow.solution_digest, DecisionRow)
        .join(DecisionRow, col(DecisionRow.submission_id) == SubmissionRow.id)
        .where(
            SubmissionRow.campaign_id == campaign_id,
            col(SubmissionRow.solution_digest).in_(digests),
        )
        .order_by(col(DecisionRow.seq))
        .options(_DECIDED)
    )
    found: dict[str, list[DecisionRow]] = {}
    for digest, decision in rows:
        found.setdefault(digest, []).append(decision)
    return found


def _otherwise(
    row: ConclusionRow,
    ids: Sequence[int],
    cited: Mapping[int, _Cited],
    again: Mapping[str, Sequence[DecisionRow]],
) -> list[str]:
    """Later decisions on the same solutions that say the opposite of what was concluded."""
    return [
        f"the solution of submission {id_} was {decision.verdict} as submission "
        f"{decision.submission_id} later"
        for id_ in ids
        if id_ in cited
        for decision in again.get(cited[id_].digest, ())
        if decision.seq > row.seq and decision.verdict in _OTHERWISE[row.kind]
    ]
