import math

import pytest

from guard.domain.decision import Verdict
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, JobState
from tests.memory.builders import (
    NOW,
    baseline,
    benchmark,
    duel,
    held,
    promoted,
    running_benchmark,
    solution,
    verified,
)


@pytest.fixture
def claim(board: Board, campaign: Campaign) -> Claim:
    return held(board, campaign)


def test_the_baseline_holds_the_champions_place_at_the_start(
    database: Database, campaign: Campaign
) -> None:
    champion = views.champion(database, campaign.id)

    assert (champion.submission_id, champion.generation) == (0, 0)
    assert champion.solution == baseline().solution
    assert champion.speedup is None


def test_a_promoted_submission_becomes_champion(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    first = promoted(board, claim, "first")
    second = promoted(board, claim, "second", generation=1)

    champion = views.champion(database, campaign.id)
    assert (champion.submission_id, champion.generation) == (second.id, 2)
    assert champion.solution == solution("second")
    assert champion.speedup is not None
    assert champion.speedup.estimate == 3.0
    assert [b.submission_id for b in views.benchmarks(database, campaign.id)] == [
        first.id,
        second.id,
    ]


def test_the_second_of_two_promotions_over_one_champion_writes_nothing(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    late = verified(board, claim, "late")
    job = running_benchmark(board, late)
    winner = promoted(board, claim, "winner")
    before = views.latest_seq(database, campaign.id)

    assert not board.record_benchmark(benchmark(late), job.id, promote=late.solution)

    assert views.benchmark_of(database, late.id) is None
    assert views.latest_seq(database, campaign.id) == before
    assert views.champion(database, campaign.id).submission_id == winner.id
    now = views.job(database, job.id)
    assert now is not None
    assert now.state is JobState.RUNNING
    again = benchmark(late, generation=1, champion=winner.id)
    assert board.record_benchmark(again, job.id, promote=late.solution)
    assert views.champion(database, campaign.id).submission_id == late.id


def test_a_decision_that_promotes_nothing_stands_whatever_the_generation(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    slow = verified(board, claim, "slow")
    job = running_benchmark(board, slow)
    winner = promoted(board, claim, "winner")

    reverted = benchmark(slow, Verdict.REVERTED, speedup=0.5)
    assert board.record_benchmark(reverted, job.id, promote=None)

    assert views.benchmark_of(database, slow.id) == reverted
    assert views.champion(database, campaign.id).submission_id == winner.id


def test_every_number_of_a_benchmark_survives(
    database: Database, board: Board, claim: Claim
) -> None:
    submission = verified(board, claim)
    job = running_benchmark(board, submission)
    odd = duel("candidate", (math.inf, -1e-300, 0.1 + 0.2, 5e-324))
    told = benchmark(submission, Verdict.SUSPECT).model_copy(update={"over_champion": odd})

    board.record_benchmark(told, job.id, promote=None)

    stored = views.benchmark_of(database, submission.id)
    assert stored == told
    assert list(stored.evaluations) == ["w2", "w1"]
    seen = views.submission(database, submission.id)
    assert seen is not None
    assert (seen.decision, seen.speedup) == (told.decision, told.speedup)


@pytest.mark.parametrize("how", ["cancelled", "recorded"])
def test_a_job_that_ended_leaves_no_second_record(
    database: Database, board: Board, campaign: Campaign, claim: Claim, how: str
) -> None:
    submission = verified(board, claim)
    job = running_benchmark(board, submission)
    told = benchmark(submission)
    if how == "cancelled":
        board.cancel_job(job.id, "asked for", NOW)
    else:
        board.record_benchmark(told, job.id, promote=submission.solution)
    before = views.champion(database, campaign.id)

    assert board.record_benchmark(told, job.id, promote=submission.solution)

    assert views.champion(database, campaign.id) == before
    assert len(views.benchmarks(database, campaign.id)) == (how == "recorded")


@pytest.mark.parametrize("verdict", [Verdict.PROMOTED, Verdict.ACCEPTED], ids=str)
def test_what_is_promoted_must_be_what_was_decided(
    database: Database, board: Board, claim: Claim, verdict: Verdict
) -> None:
    submission = verified(board, claim)
    job = running_benchmark(board, submission)
    promote = None if verdict is Verdict.PROMOTED else submission.solution

    with pytest.raises(ValueError, match="exactly when"):
        board.record_benchmark(benchmark(submission, verdict), job.id, promote=promote)

    assert views.benchmark_of(database, submission.id) is None
