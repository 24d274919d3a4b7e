"""Values as JSON text, and solutions as rows that store each source once.

Numbers survive the way exactly, infinities included, so that a decision can be replayed from what
was stored. Start at `to_text`; `store_solution` and `load_solutions` are a pair.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json, to_json
from sqlmodel import Session, col, select

from guard.domain.solution import Solution
from memory.tables import SolutionRow, SourceRow


def to_text(value: object) -> str:
    """A pydantic value, or plain lists and dictionaries, as JSON text."""
    # The domain's own JSON writes NaN and infinities as null, which its float fields then refuse
    # to read; a clock that was fooled may give both.
    plain = value.model_dump() if isinstance(value, BaseModel) else value
    return to_json(plain, inf_nan_mode="constants").decode()


def hash_of(text: str) -> str:
    """SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def store_solution(session: Session, solution: Solution) -> str:
    """Store a solution unless it is there already; return its digest."""
    if session.get(SolutionRow, solution.digest) is not None:
        return solution.digest
    body = solution.model_dump()
    for source in body["sources"]:
        sha256 = hash_of(source["content"])
        if session.get(SourceRow, sha256) is None:
            session.add(SourceRow(sha256=sha256, content=source["content"]))
            session.flush()
        source["content"] = sha256
    session.add(SolutionRow(digest=solution.digest, body=to_text(body)))
    session.flush()
    return solution.digest


def load_solutions(session: Session, digests: Iterable[str]) -> dict[str, Solution]:
    """The stored solutions by digest."""
    wanted = select(SolutionRow).where(col(SolutionRow.digest).in_(set(digests)))
    bodies: dict[str, Any] = {row.digest: from_json(row.body) for row in session.exec(wanted)}
    hashes = {source["content"] for body in bodies.values() for source in body["sources"]}
    texts = select(SourceRow).where(col(SourceRow.sha256).in_(hashes))
    contents = {row.sha256: row.content for row in session.exec(texts)}
    for body in bodies.values():
        for source in body["sources"]:
            source["content"] = contents[source["content"]]
    return {digest: Solution.model_validate(body) for digest, body in bodies.items()}
