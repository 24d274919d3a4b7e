import pytest

from guard.domain.errors import UnknownClaim, UnknownSubmission
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign
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
