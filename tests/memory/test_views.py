from collections.abc import Callable
from typing import Literal

import pytest

from guard.domain.decision import Verdict
from memory import views
from memory.board import Board
from memory.conclusion import Conclusion
from memory.engine import Database
from memory.records import Campaign
from tests.memory.builders import (
    LEASE,
    NOW,
    benchmark,
    held,
    promoted,
    running_benchmark,
    solution,
    start,
    verified,
)


def test_what_does_not_exist_is_none_or_empty(database: Database, campaign: Campaign) -> None:
    assert views.claim(database, "c_none") is None
    assert views.submission(database, 77) is None
    assert views.benchmark_of(database, 77) is None
    assert views.job(database, "j_none") is None
    assert views.token_name(database, "ka_none") is None
    assert views.open_campaign(database, "none", "cpu") is None
    assert views.latest_seq(database, campaign.id) == 0


@pytest.mark.parametrize("view", [views.campaign, views.champion])
def test_an_unknown_campaign_is_a_lookup_error(database: Database, view: object) -> None:
    assert callable(view)
    with pytest.raises(LookupError, match="999"):
        view(database, 999)


def test_a_claim_is_live_while_its_lease_runs(
    database: Database, board: Board, campaign: Campaign
) -> None:
    first = held(board, campaign, "tiling", "ada")
    second = held(board, campaign, "fusion", "bob", now_s=NOW + 10)

    def live(now_s: float) -> tuple[str, ...]:
        return tuple(claim.id for claim in views.live_claims(database, campaign.id, now_s))

    assert live(NOW + 20) == (first.id, second.id)
    assert live(NOW + LEASE) == (second.id,)
    assert [c.id for c in views.claims(database, campaign.id)] == [first.id, second.id]


def test_a_claims_own_work_is_apart_from_its_siblings(
    database: Database, board: Board, campaign: Campaign
) -> None:
    ada, bob = held(board, campaign), held(board, campaign, "fusion", "bob")
    mine = [promoted(board, ada, "a").id, promoted(board, ada, "c", generation=1).id]
    promoted(board, bob, "b", generation=2)

    assert [b.submission_id for b in views.benchmarks_of_claim(database, ada.id)] == mine
    assert len(views.submissions(database, campaign.id)) == 3


RANKED = [
    # verdict, speedup, place on the board (0: none)
    pytest.param(Verdict.ACCEPTED, 9.0, True, id="accepted"),
    pytest.param(Verdict.REVERTED, 0.5, True, id="reverted"),
    pytest.param(Verdict.SUSPECT, 99.0, False, id="suspect is quarantined"),
    pytest.param(Verdict.REJECTED, 99.0, False, id="rejected failed"),
]


@pytest.mark.parametrize(("verdict", "speedup", "listed"), RANKED)
def test_the_leaderboard_lists_believable_candidates(
    database: Database,
    board: Board,
    campaign: Campaign,
    verdict: Verdict,
    speedup: float,
    listed: bool,
) -> None:
    submission = verified(board, held(board, campaign))
    job = running_benchmark(board, submission)
    board.record_benchmark(benchmark(submission, verdict, speedup=speedup), job.id, promote=None)

    found = [s.id for s in views.leaderboard(database, campaign.id, 5)]

    assert found == ([submission.id] if listed else [])


def test_the_leaderboard_starts_with_the_fastest(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    ids = [promoted(board, claim, str(n), generation=n).id for n in range(3)]
    verified(board, claim, "never timed")

    assert [s.id for s in views.leaderboard(database, campaign.id, 2)] == [ids[2], ids[1]]


def test_conclusions_are_filtered_and_the_newest_are_kept(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claims = [held(board, campaign, "tiling"), held(board, campaign, "fusion", "bob")]
    seqs = []
    kinds: list[Literal["win", "trap"]] = ["win", "win", "win", "trap", "trap", "trap"]
    for number, kind in enumerate(kinds):
        posted = board.post_conclusion(claims[number % 2].id, kind, str(number), "", (), None, NOW)
        seqs.append(posted.seq)

    conclusions: Callable[..., tuple[Conclusion, ...]] = views.conclusions

    def notes(**wanted: int | str) -> str:
        found = conclusions(database, campaign.id, **wanted)
        return "".join(c.note for c in found)

    assert notes() == "012345"
    assert notes(limit=2) == "45"
    assert notes(since=seqs[2]) == "345"
    assert notes(kind="trap") == "345"
    assert notes(strategy="fusion") == "135"
    assert notes(kind="win", strategy="tiling", since=seqs[0]) == "2"
    assert views.conclusions(database, start(board, "other").id) == ()


def test_the_sequence_grows_with_every_visible_fact(
    database: Database, board: Board, campaign: Campaign
) -> None:
    seen = [views.latest_seq(database, campaign.id)]

    def note() -> None:
        seen.append(views.latest_seq(database, campaign.id))

    claim = held(board, campaign)
    note()
    submission = verified(board, claim)
    note()
    job = running_benchmark(board, submission)
    board.record_benchmark(benchmark(submission), job.id, promote=solution())
    note()
    board.post_conclusion(claim.id, "win", "", "", (submission.id,), 2.0, NOW)
    note()

    assert seen == sorted(set(seen))
    assert views.latest_seq(database, start(board, "other").id) == 0
