from memory import views
from memory.board import Board
from memory.engine import Database
from memory.kept import Kept
from memory.records import Campaign
from tests.memory.builders import held, promoted, start


def test_the_oldest_use_is_forgotten_first():
    kept = Kept(most=2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)


def test_what_is_read_again_is_the_same_record(database: Database, campaign: Campaign) -> None:
    first = views.campaign(database, campaign.id)
    assert first == campaign
    assert views.campaign(database, campaign.id) is first


def test_what_was_kept_of_a_campaign_does_not_hide_its_end(
    database: Database, board: Board, campaign: Campaign
) -> None:
    assert views.campaign(database, campaign.id).ended_s is None
    board.end_campaign(campaign.id)
    assert views.campaign(database, campaign.id).ended_s is not None
    assert views.open_campaign(database, "copy", "cpu") is None
    again = start(board)
    found = views.open_campaign(database, "copy", "cpu")
    assert found is not None
    assert found.id == again.id


def test_a_kept_champion_gives_way_to_the_next_and_to_a_revocation(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    assert views.champion(database, campaign.id).agent == ""
    first = promoted(board, claim, "first")
    assert views.champion(database, campaign.id).submission_id == first.id
    second = promoted(board, claim, "second", generation=1)
    found = views.champion(database, campaign.id)
    assert (found.submission_id, found.agent, found.generation) == (second.id, claim.agent, 2)
    board.revoke(second.id, "found out")
    assert views.champion(database, campaign.id).submission_id == first.id
    assert [one.id for one in views.leaderboard(database, campaign.id, 5)] == [first.id]
