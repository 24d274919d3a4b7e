from collections.abc import Callable

import pytest

from guard.domain.errors import UnknownJob
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Job, JobState
from tests.memory.builders import NOW, held, solution

MOVES: dict[str, Callable[[Board, str], bool]] = {
    "start": lambda board, job: board.start_job(job),
    "requeue": lambda board, job: board.requeue(job, "restart"),
    "cancel": lambda board, job: board.cancel_job(job, "asked for", NOW + 5),
    "lose": lambda board, job: board.lose_job(job, "restart", NOW + 5),
}
CASES = [
    # moves made, and whether the last one was; state, attempts, reason in the end
    pytest.param(["start"], True, ("running", 1, ""), id="started"),
    pytest.param(["start", "start"], False, ("running", 1, ""), id="started once only"),
    pytest.param(["start", "requeue"], True, ("queued", 1, "restart"), id="requeued"),
    pytest.param(["requeue"], False, ("queued", 0, ""), id="queued already"),
    pytest.param(["start", "requeue", "start"], True, ("running", 2, "restart"), id="retried"),
    pytest.param(["cancel"], True, ("cancelled", 0, "asked for"), id="cancelled in the queue"),
    pytest.param(["start", "cancel"], True, ("cancelled", 1, "asked for"), id="cancelled"),
    pytest.param(["cancel", "start"], False, ("cancelled", 0, "asked for"), id="stays cancelled"),
    pytest.param(["cancel", "lose"], False, ("cancelled", 0, "asked for"), id="first end counts"),
    pytest.param(["start", "lose"], True, ("lost", 1, "restart"), id="lost"),
]


@pytest.fixture
def job(board: Board, campaign: Campaign) -> Job:
    return board.submit(held(board, campaign).id, solution(), (), NOW)[1]


@pytest.mark.parametrize(("moves", "made", "expected"), CASES)
def test_a_job_makes_legal_moves_only(
    database: Database,
    board: Board,
    job: Job,
    moves: list[str],
    made: bool,
    expected: tuple[str, int, str],
) -> None:
    results = [MOVES[move](board, job.id) for move in moves]

    now = views.job(database, job.id)
    assert now is not None
    assert results[-1] is made
    assert (now.state.value, now.attempts, now.reason) == expected
    assert now.finished_s == (NOW + 5 if expected[0] in {"cancelled", "lost"} else None)


@pytest.mark.parametrize("move", MOVES, ids=str)
def test_an_unknown_job_is_named(board: Board, move: str) -> None:
    with pytest.raises(UnknownJob, match="'j_none'"):
        MOVES[move](board, "j_none")


def test_open_jobs_are_listed_in_the_order_of_the_queue(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    made = [board.submit(claim.id, solution(str(n)), (), NOW - n)[1].id for n in range(5)]
    board.start_job(made[3])
    board.cancel_job(made[1], "", NOW)

    open_now = views.open_jobs(database)

    assert [job.id for job in open_now] == [made[0], made[2], made[3], made[4]]
    assert open_now[2].state is JobState.RUNNING
