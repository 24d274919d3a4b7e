import pytest

from guard.domain.errors import UnknownSubmission
from guard.domain.trace import CompileReport, Verification
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, JobState
from tests.memory.builders import NOW, held, passed, solution


def test_a_verification_comes_back_as_recorded_and_finishes_its_job(
    database: Database, board: Board, campaign: Campaign
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    board.start_job(job.id)

    board.record_verification(submission.id, job.id, passed(), NOW + 1)

    stored = views.submission(database, submission.id)
    finished = views.job(database, job.id)
    assert stored is not None
    assert finished is not None
    assert stored.verification == passed()
    assert (finished.state, finished.finished_s) == (JobState.DONE, NOW + 1)


def test_nothing_reached_is_stored_with_its_note(
    database: Database, board: Board, campaign: Campaign
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    said = Verification(compiled=CompileReport(ok=True), judgements=(), note="no GPU here")

    board.record_verification(submission.id, job.id, said, NOW)

    stored = views.submission(database, submission.id)
    assert stored is not None
    assert stored.verification == said


@pytest.mark.parametrize("how", ["cancelled", "recorded"])
def test_a_job_that_ended_leaves_no_second_record(
    database: Database, board: Board, campaign: Campaign, how: str
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    if how == "cancelled":
        board.cancel_job(job.id, "asked for", NOW)
    else:
        board.record_verification(submission.id, job.id, passed(), NOW)
    before = views.submission(database, submission.id)

    board.record_verification(submission.id, job.id, passed(), NOW + 1)

    assert views.submission(database, submission.id) == before


def test_an_unknown_submission_is_named(board: Board) -> None:
    with pytest.raises(UnknownSubmission, match="77"):
        board.record_verification(77, "j_none", passed(), NOW)
