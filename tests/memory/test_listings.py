"""`memory.listings`: stored once, and read only when asked for."""

from guard.domain.machine_code import Listing
from guard.domain.trace import CompileReport, Verification
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.listings import text_of
from memory.records import Campaign
from tests.memory.builders import NOW, held, solution

LISTINGS = (Listing(kind="ptx", packed="cHR4"), Listing(kind="sass", packed="c2Fzcw==", cut=True))
SAID = Verification(compiled=CompileReport(ok=True, listings=LISTINGS), judgements=())


def test_a_listing_comes_back_by_its_digest_and_no_record_holds_its_text(
    database: Database, board: Board, campaign: Campaign
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    board.record_verification(submission.id, job.id, SAID, NOW)

    stored = views.submission(database, submission.id)
    assert stored is not None and stored.verification is not None
    kept = stored.verification.compiled.listings
    assert [(one.kind, one.cut, one.packed) for one in kept] == [
        ("ptx", False, ""),
        ("sass", True, ""),
    ]
    assert [text_of(database, one) for one in kept] == ["cHR4", "c2Fzcw=="]
    assert "c2Fzcw" not in stored.model_dump_json()


def test_a_digest_that_a_builder_wrote_names_nothing_else(
    database: Database, board: Board, campaign: Campaign
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    forged = Listing(kind="asm", digest="0" * 64, packed="YXNt")
    said = Verification(compiled=CompileReport(ok=True, listings=(forged,)), judgements=())
    board.record_verification(submission.id, job.id, said, NOW)

    stored = views.submission(database, submission.id)
    assert stored is not None and stored.verification is not None
    (kept,) = stored.verification.compiled.listings
    assert kept.digest != forged.digest
    assert text_of(database, kept) == "YXNt"
    assert text_of(database, forged) == ""
