import pytest
from sqlmodel import func, select

from guard.domain.errors import (
    ClaimClosed,
    ClaimTakenOver,
    KernelArcError,
    UnknownClaim,
    UnknownSubmission,
)
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState, JobState
from memory.tables import SourceRow
from tests.memory.builders import LEASE, NOW, held, solution, verified


@pytest.fixture
def claim(board: Board, campaign: Campaign) -> Claim:
    return held(board, campaign)


def test_a_submission_comes_back_whole_with_a_queued_job(
    database: Database, board: Board, claim: Claim
) -> None:
    first, _ = board.submit(claim.id, solution("one"), (), NOW)
    second, job = board.submit(claim.id, solution("two"), (first.id,), NOW + 1)

    assert views.submission(database, second.id) == second
    assert second.solution == solution("two")
    assert second.builds_on == (first.id,)
    assert (second.agent, second.strategy, second.lane) == ("ada", "tiling", "memory")
    assert views.job(database, job.id) == job
    assert (job.kind, job.state, job.claim_id) == ("verify", JobState.QUEUED, claim.id)


def test_the_same_solution_under_the_same_claim_gives_the_first_answer(
    board: Board, claim: Claim
) -> None:
    first = board.submit(claim.id, solution(), (), NOW)

    assert board.submit(claim.id, solution(), (), NOW + 9) == first


def test_a_source_is_stored_once_for_all_claims(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    other = held(board, campaign, "fusion", "bob")
    for text in ("one", "two"):
        for holder in (claim, other):
            board.submit(holder.id, solution(text), (), NOW)

    assert len(views.submissions(database, campaign.id)) == 4
    with database.read() as session:
        # The baseline's, the two above, and the header that all three share.
        assert session.exec(select(func.count()).select_from(SourceRow)).one() == 4


def test_a_cancelled_verification_is_queued_anew(board: Board, claim: Claim) -> None:
    submission, job = board.submit(claim.id, solution(), (), NOW)
    board.cancel_job(job.id, "asked for", NOW)

    again, fresh = board.submit(claim.id, solution(), (), NOW + 1)

    assert again == submission
    assert (fresh.id != job.id, fresh.state) == (True, JobState.QUEUED)


CLOSED = [
    pytest.param(ClaimState.DONE, ClaimClosed, id="done"),
    pytest.param(ClaimState.ABANDONED, ClaimClosed, id="abandoned"),
    pytest.param(ClaimState.EXHAUSTED, ClaimClosed, id="exhausted"),
]


@pytest.mark.parametrize(("state", "error"), CLOSED)
def test_a_closed_claim_takes_no_new_work_but_repeats_its_answers(
    board: Board, claim: Claim, state: ClaimState, error: type[KernelArcError]
) -> None:
    known = board.submit(claim.id, solution("known"), (), NOW)
    board.close_claim(claim.id, state, detail="", now_s=NOW)

    assert board.submit(claim.id, solution("known"), (), NOW) == known
    with pytest.raises(error):
        board.submit(claim.id, solution("new"), (), NOW)


def test_a_claim_that_was_taken_over_takes_no_new_work(
    board: Board, campaign: Campaign, claim: Claim
) -> None:
    held(board, campaign, agent="bob", now_s=NOW + LEASE)

    with pytest.raises(ClaimTakenOver):
        board.submit(claim.id, solution(), (), NOW + LEASE)


def test_what_a_submission_refers_to_must_exist(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    with pytest.raises(UnknownClaim):
        board.submit("c_none", solution(), (), NOW)
    with pytest.raises(UnknownSubmission, match="77"):
        board.submit(claim.id, solution(), (77,), NOW)
    with pytest.raises(UnknownSubmission, match="77"):
        board.request_benchmark(77, NOW)
    assert views.submissions(database, campaign.id) == ()


def test_a_benchmark_has_one_job_until_it_is_cancelled_or_lost(
    database: Database, board: Board, claim: Claim
) -> None:
    submission = verified(board, claim)
    first = board.request_benchmark(submission.id, NOW)
    assert board.request_benchmark(submission.id, NOW + 1) == first

    board.cancel_job(first.id, "asked for", NOW)
    second = board.request_benchmark(submission.id, NOW + 2)
    board.lose_job(second.id, "restart", NOW)
    third = board.request_benchmark(submission.id, NOW + 3)

    assert len({first.id, second.id, third.id}) == 3
    jobs = views.jobs_of_submission(database, submission.id)
    assert [job.state.value for job in jobs] == ["done", "cancelled", "lost", "queued"]
