"""A conclusion is marked when what it cites no longer bears it out."""

import pytest

from guard.domain.decision import Verdict
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, Submission
from tests.memory.builders import (
    NOW,
    benchmark,
    held,
    passed,
    promoted,
    running_benchmark,
    solution,
    verified,
)


@pytest.fixture
def claim(board: Board, campaign: Campaign) -> Claim:
    return held(board, campaign)


def decided(board: Board, claim: Claim, text: str, verdict: Verdict, **more) -> Submission:
    submission = verified(board, claim, text)
    job = running_benchmark(board, submission)
    told = benchmark(submission, verdict, **more)
    assert board.record_benchmark(told, job.id, promote=None)
    return submission


def marks(database: Database, campaign: Campaign) -> list[tuple[str, ...]]:
    return [c.overturned for c in views.conclusions(database, campaign.id)]


def post(board: Board, claim: Claim, kind, cited: Submission, note: str = "note") -> None:
    board.post_conclusion(claim.id, kind, note, "why", [cited.id], 2.0, NOW)


def test_what_lost_to_a_champion_that_was_revoked_since(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat = promoted(board, claim, "cheat")
    loser = decided(
        board, claim, "loser", Verdict.REVERTED, generation=1, champion=cheat.id, speedup=0.9
    )
    early = decided(board, claim, "early", Verdict.REVERTED, speedup=0.8)
    post(board, claim, "trap", loser)
    post(board, claim, "trap", early)
    assert marks(database, campaign) == [(), ()]

    board.revoke(cheat.id, "it cheats")

    (lost, kept) = marks(database, campaign)
    assert "compared with submission 1, revoked since" in lost[0]
    assert kept == ()


def test_a_figure_that_rests_on_a_revoked_champion(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    cheat = promoted(board, claim, "cheat")
    heir = verified(board, claim, "heir")
    job = running_benchmark(board, heir)
    told = benchmark(heir, generation=1, champion=cheat.id).model_copy(update={"derived": True})
    assert board.record_benchmark(told, job.id, promote=heir.solution)
    post(board, claim, "win", heir)
    board.revoke(cheat.id, "it cheats")

    assert "rests on submission 1, revoked since" in marks(database, campaign)[0][0]


def test_what_grew_from_a_revoked_one_however_far_back(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    line = [verified(board, claim, "root")]
    for name in ("child", "grandchild"):
        grown, job = board.submit(claim.id, solution(name), (line[-1].id,), NOW)
        board.start_job(job.id)
        board.record_verification(grown.id, job.id, passed(), NOW)
        line.append(grown)
    job = running_benchmark(board, line[-1])
    board.record_benchmark(benchmark(line[-1]), job.id, promote=line[-1].solution)
    post(board, claim, "win", line[-1])
    board.revoke(line[0].id, "it cheats")

    assert marks(database, campaign) == [("submission 3 grew from what was revoked",)]


AGAIN = [
    # kind, verdict at first, verdict later, part of the mark
    pytest.param("trap", Verdict.REVERTED, Verdict.PROMOTED, "was promoted", id="a trap that won"),
    pytest.param("win", Verdict.ACCEPTED, Verdict.SUSPECT, "was suspect", id="a win not believed"),
    pytest.param("win", Verdict.ACCEPTED, Verdict.REVERTED, "", id="a win that was overtaken"),
    pytest.param("trap", Verdict.REVERTED, Verdict.REJECTED, "", id="a trap that failed again"),
]


@pytest.mark.parametrize(("kind", "first", "later", "mark"), AGAIN)
def test_the_same_solution_judged_otherwise_later(
    database: Database, board: Board, campaign: Campaign, claim: Claim, kind, first, later, mark
) -> None:
    cited = decided(board, claim, "one", first)
    post(board, claim, kind, cited)
    other = held(board, campaign, "fusion", "bob")
    again = verified(board, other, "one")
    job = running_benchmark(board, again)
    promote = again.solution if later is Verdict.PROMOTED else None
    assert board.record_benchmark(benchmark(again, later), job.id, promote=promote)

    [found] = marks(database, campaign)
    assert (mark in found[0]) if mark else found == ()


def test_a_champion_that_was_overtaken_still_bears_a_win_out(
    database: Database, board: Board, campaign: Campaign, claim: Claim
) -> None:
    first = promoted(board, claim, "first")
    post(board, claim, "win", first)
    second = promoted(board, claim, "second", generation=1)
    board.revoke(second.id, "it cheats")

    assert marks(database, campaign) == [()]
