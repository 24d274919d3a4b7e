import pytest

from guard.domain.errors import UnknownSubmission
from guard.domain.trace import CompileReport, Verification
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, ClaimState, JobState
from tests.memory.builders import NOW, held, late, passed, solution


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


@pytest.mark.parametrize("sealed", [True, False])
def test_whether_it_was_sealed_comes_back(
    database: Database, board: Board, campaign: Campaign, sealed: bool
) -> None:
    submission, job = board.submit(held(board, campaign).id, solution(), (), NOW)
    said = passed().model_copy(update={"sealed": sealed})

    board.record_verification(submission.id, job.id, said, NOW)

    stored = views.submission(database, submission.id)
    assert stored is not None
    assert stored.verification == said


def test_what_showed_nothing_is_told_and_judged_anew(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    submission, first = board.submit(claim.id, solution(), (), NOW)
    board.record_verification(submission.id, first.id, late(), NOW)

    again, second = board.submit(claim.id, solution(), (), NOW + 1)
    repeated, same = board.submit(claim.id, solution(), (), NOW + 1)

    assert (again.id, again.verification) == (submission.id, late())
    assert (second.id != first.id, second.state) == (True, JobState.QUEUED)
    assert (repeated, same) == (again, second)
    board.record_verification(submission.id, second.id, passed(), NOW + 2)
    final, third = board.submit(claim.id, solution(), (), NOW + 3)
    assert (third.id, final.verification) == (second.id, passed())
    assert views.submission(database, submission.id) == final


def test_under_a_closed_claim_what_showed_nothing_stays_the_answer(
    board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    submission, job = board.submit(claim.id, solution(), (), NOW)
    board.record_verification(submission.id, job.id, late(), NOW)
    board.close_claim(claim.id, ClaimState.DONE, detail="", now_s=NOW)

    again, same = board.submit(claim.id, solution(), (), NOW + 1)

    assert (again.verification, same.id) == (late(), job.id)


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
