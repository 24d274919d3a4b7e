from typing import Literal

import pytest

from guard.domain.errors import UnknownClaim, UnknownSubmission
from memory import views
from memory.board import Board
from memory.conclusion import Measured
from memory.engine import Database
from memory.records import Campaign, Claim
from tests.memory.builders import NOW, held, verified


def test_a_conclusion_names_whose_it_is_and_what_it_cites(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    cited = (verified(board, claim, "a").id, verified(board, claim, "b").id)

    posted = board.post_conclusion(claim.id, "win", "note", "because", cited, 1.5, NOW)

    assert views.conclusions(database, campaign.id) == (posted,)
    assert (posted.agent, posted.strategy, posted.campaign_id) == ("ada", "tiling", campaign.id)
    assert (posted.submission_ids, posted.speedup) == (cited, 1.5)


def test_an_identical_repeat_gives_the_first_row(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    cited = (verified(board, claim).id,)
    first = board.post_conclusion(claim.id, "trap", "note", "because", cited, None, NOW)

    repeat = board.post_conclusion(claim.id, "trap", "note", "because", cited, 2.0, NOW + 9)
    other = board.post_conclusion(claim.id, "win", "note", "because", cited, None, NOW)

    assert repeat == first
    assert other.seq > first.seq
    assert len(views.conclusions(database, campaign.id)) == 2


def test_what_a_conclusion_refers_to_must_exist(
    database: Database, board: Board, campaign: Campaign
) -> None:
    with pytest.raises(UnknownClaim):
        board.post_conclusion("c_none", "win", "", "", (), None, NOW)
    with pytest.raises(UnknownSubmission, match="77"):
        board.post_conclusion(held(board, campaign).id, "win", "", "", (77,), None, NOW)
    assert views.conclusions(database, campaign.id) == ()


def test_what_tells_nearly_the_same_points_to_the_first_and_counts(
    database: Database, board: Board, campaign: Campaign
) -> None:
    ada, bob = held(board, campaign), held(board, campaign, "fusion", "bob")
    cited = (verified(board, ada).id,)

    def told(claim: Claim, kind: Literal["win", "trap"], note: str, speedup: float | None):
        return board.post_conclusion(claim.id, kind, note, "why", cited, speedup, NOW)

    first = told(ada, "trap", "tiles of 128 spill registers", None)
    again = told(bob, "trap", "Tiles of 128 spill registers!", None)
    third = told(bob, "trap", "tiles of 128 spill all registers", None)
    other = told(bob, "trap", "tiles of 64 leave the tensor cores idle", None)
    assert [(c.repeats, c.times) for c in (first, again, third, other)] == [
        (0, 1), (first.seq, 2), (first.seq, 3), (0, 1),
    ]  # fmt: skip

    opposite = told(bob, "win", "tiles of 128 spill no registers", 1.5)
    assert (opposite.against, opposite.repeats) == (third.repeats, 0)
    better = told(ada, "win", "tiles of 128 spill no registers", 1.9)
    worse = told(ada, "win", "tiles of 128 spill no registers at", 1.2)
    assert (better.repeats, worse.repeats) == (0, better.seq)


def test_what_the_server_measured_is_kept(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    cited = verified(board, claim).id
    measured = Measured(
        submission_id=cited, device="cpu", hardware="a cpu", language="cpp", sealed=False,
        speedups={"w1": 1.5}, features=("zmm",),
    )  # fmt: skip

    board.post_conclusion(claim.id, "win", "n", "", (cited,), 1.5, NOW, measured=measured)

    [found] = views.conclusions(database, campaign.id)
    assert found.measured == measured
