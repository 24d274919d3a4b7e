from guard.domain.decision import Policy
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, ClaimState
from tests.memory.builders import NOW, baseline, held, problem, start


def test_a_campaign_comes_back_as_it_was_started(database: Database, board: Board) -> None:
    policy = Policy(min_gain=0.1 + 0.2, lane_after=7)

    started = board.start_campaign(problem(), "cpu", "a cpu", policy, baseline())

    assert views.campaign(database, started.id) == started
    assert (started.problem, started.policy, started.baseline) == (problem(), policy, baseline())
    assert started.started_s == NOW


def test_starting_again_returns_the_open_campaign(board: Board, campaign: Campaign) -> None:
    again = board.start_campaign(problem(), "cpu", "x", Policy(min_gain=0.5), baseline())

    assert again == campaign


def test_another_problem_has_a_campaign_of_its_own(board: Board, campaign: Campaign) -> None:
    assert start(board, "other").id != campaign.id


def test_an_ended_campaign_makes_room_for_a_new_one(
    database: Database, board: Board, campaign: Campaign
) -> None:
    board.end_campaign(campaign.id)
    board.end_campaign(campaign.id)

    assert views.open_campaign(database, "copy", "cpu") is None
    fresh = start(board)
    assert fresh.id > campaign.id
    assert [c.ended_s for c in views.campaigns(database)] == [NOW, None]
    assert views.open_campaign(database, "copy", "cpu") == fresh


def test_ending_a_campaign_abandons_its_live_claims(
    database: Database, board: Board, campaign: Campaign
) -> None:
    claim = held(board, campaign)
    other = held(board, start(board, "other"))

    board.end_campaign(campaign.id)

    states = [found.state for c in (claim, other) if (found := views.claim(database, c.id))]
    assert states == [ClaimState.ABANDONED, ClaimState.LIVE]
