import pytest

from guard.domain.decision import Verdict
from guard.domain.errors import UnknownSubmission
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim
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

REASON = "it kept answers between calls"


@pytest.fixture
def claim(board: Board, campaign: Campaign) -> Claim:
    return held(board, campaign)


def test_a_revoked_champion_hands_its_place_on_and_keeps_its_record(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    first = promoted(board, claim, "first")
    second = promoted(board, claim, "second", generation=1)

    record, new = board.revoke(second.id, REASON)

    assert (record.submission_id, record.agent, record.reason, new) == (
        second.id, "ada", REASON, True,
    )  # fmt: skip
    champion = views.champion(database, campaign.id)
    assert (champion.submission_id, champion.solution) == (first.id, first.solution)
    assert champion.generation == 2
    assert [s.id for s in views.leaderboard(database, campaign.id, 9)] == [first.id]
    assert len(views.benchmarks(database, campaign.id)) == 2
    assert [b.submission_id for b in views.counted_benchmarks(database, claim)] == [first.id]

    board.revoke(first.id, REASON)
    champion = views.champion(database, campaign.id)
    assert (champion.submission_id, champion.solution) == (0, baseline().solution)


def test_revoking_twice_keeps_the_first_reason(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat = promoted(board, claim, "cheat")
    first, _ = board.revoke(cheat.id, REASON)
    before = views.latest_seq(database, campaign.id)

    assert board.revoke(cheat.id, "something else") == (first, False)

    assert views.latest_seq(database, campaign.id) == before == first.seq
    assert views.revocations(database, campaign.id) == (first,)
    assert views.revocations(database, campaign.id, since=first.seq) == ()


def test_what_does_not_exist_cannot_be_revoked(board: Board) -> None:
    with pytest.raises(UnknownSubmission):
        board.revoke(7, REASON)


def test_the_same_solution_of_another_agent_is_revoked_with_it(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat = promoted(board, claim, "cheat")
    other = held(board, campaign, "fusion", "bob")
    twin, honest = verified(board, other, "cheat"), verified(board, other, "honest")
    board.revoke(cheat.id, REASON)

    reasons = {s.id: s.revoked for s in views.submissions(database, campaign.id)}
    assert reasons == {cheat.id: REASON, twin.id: REASON, honest.id: ""}
    job = running_benchmark(board, twin)
    again = benchmark(twin, generation=1)
    assert not board.record_benchmark(again, job.id, promote=twin.solution)
    suspect = benchmark(twin, Verdict.SUSPECT, generation=1)
    assert board.record_benchmark(suspect, job.id, promote=None)
    assert views.champion(database, campaign.id).submission_id == 0


@pytest.mark.parametrize("verdict", [Verdict.PROMOTED, Verdict.ACCEPTED, Verdict.REVERTED], ids=str)
def test_no_decision_rests_on_a_revoked_champion(
    database: Database, board: Board, campaign: Campaign, claim: Claim, verdict: Verdict
) -> None:
    cheat = promoted(board, claim, "cheat")
    late = verified(board, claim, "late")
    job = running_benchmark(board, late)
    against = duel(late.solution.digest).model_copy(update={"champion": cheat.solution.digest})
    told = benchmark(late, verdict, generation=1, champion=cheat.id)
    told = told.model_copy(update={"over_champion": against})
    promote = late.solution if verdict is Verdict.PROMOTED else None
    board.revoke(cheat.id, REASON)

    assert not board.record_benchmark(told, job.id, promote=promote)
    assert views.benchmark_of(database, late.id) is None

    over_baseline = benchmark(late, generation=1, champion=0)
    assert board.record_benchmark(over_baseline, job.id, promote=late.solution)
    champion = views.champion(database, campaign.id)
    assert (champion.submission_id, champion.generation) == (late.id, 2)


def test_a_decision_on_what_was_revoked_meanwhile_is_drawn_again(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat = promoted(board, claim, "cheat")
    again = verified(board, held(board, campaign, "fusion", "bob"), "cheat")
    job = running_benchmark(board, again)
    board.revoke(cheat.id, REASON)

    believed = benchmark(again, Verdict.ACCEPTED, generation=1)
    assert not board.record_benchmark(believed, job.id, promote=None)
    suspect = benchmark(again, Verdict.SUSPECT, generation=1)
    assert board.record_benchmark(suspect, job.id, promote=None)


def test_no_promotion_over_one_that_lost_the_place_by_what_it_was_built_on(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    root = verified(board, claim, "root")
    heir, job = board.submit(claim.id, solution("heir"), (root.id,), NOW)
    board.start_job(job.id)
    board.record_verification(heir.id, job.id, root_verification(database, root.id), NOW)
    job = running_benchmark(board, heir)
    board.record_benchmark(benchmark(heir), job.id, promote=heir.solution)
    top = promoted(board, claim, "top", generation=1)
    board.revoke(top.id, REASON)
    assert views.champion(database, campaign.id).submission_id == heir.id
    late = verified(board, claim, "late")
    job = running_benchmark(board, late)
    board.revoke(root.id, REASON)

    assert views.champion(database, campaign.id).submission_id == 0
    told = benchmark(late, generation=2, champion=heir.id)
    assert not board.record_benchmark(told, job.id, promote=late.solution)


def root_verification(database: Database, submission_id: int):
    found = views.submission(database, submission_id)
    assert found is not None
    return found.verification


def test_conclusions_that_cite_it_are_marked(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat, other = promoted(board, claim, "cheat"), verified(board, claim, "other")
    for cited in ([cheat.id, other.id], [other.id]):
        board.post_conclusion(claim.id, "win", "note", "why", cited, 2.0, NOW)
    board.revoke(cheat.id, REASON)

    marks = [c.overturned for c in views.conclusions(database, campaign.id)]
    assert marks == [(f"submission {cheat.id} was revoked",), ()]
