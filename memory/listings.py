"""Packed listings of machine code, each stored once by its hash, apart from the report.

A report is read with every submission that is looked at; a listing only when somebody asks for it.
Start at `set_apart` and `text_of`, which are a pair.
"""

from sqlmodel import Session

from guard.domain.machine_code import Listing
from guard.domain.trace import CompileReport
from memory.engine import Database
from memory.tables import SourceRow
from memory.text import hash_of


def set_apart(session: Session, report: CompileReport) -> CompileReport:
    """Store the report's listings; the report that is left names them by digest."""
    kept = tuple(_stored(session, listing) for listing in report.listings)
    return report.model_copy(update={"listings": kept})


def text_of(database: Database, listing: Listing) -> str:
    """The packed text of a stored listing; empty when there is none."""
    with database.read() as session:
        row = session.get(SourceRow, listing.digest)
        return row.content if row else ""


def _stored(session: Session, listing: Listing) -> Listing:
    digest = hash_of(listing.packed)
    if session.get(SourceRow, digest) is None:
        session.add(SourceRow(sha256=digest, content=listing.packed))
        session.flush()
    return listing.model_copy(update={"digest": digest, "packed": ""})
