"""A campaign's limits: which one is reached, told once and held from then on."""

import pytest

from coordinator.limits import Limits, Reach, stop_at, worded
from guard.domain.decision import Policy
from guard.domain.errors import CampaignClosed, CampaignPaused, CampaignStopped
from guard.domain.spent import Spent
from memory import course, views
from tests.coordinator.road import NOW, Road

REACH = Reach(candidates=3, device_s=40.0, wall_s=600.0, bound_fraction=0.8)
CASES = [
    # limits, what is said of the one that is reached
    pytest.param({}, "", id="none is set"),
    pytest.param({"max_candidates": 4, "max_wall_s": 601}, "", id="none is reached"),
    pytest.param({"max_candidates": 3}, "max_candidates: 3 of 3 candidates", id="candidates"),
    pytest.param({"max_device_s": 39}, "max_device_s: 40 of 39 device seconds", id="device"),
    pytest.param({"max_wall_s": 600}, "max_wall_s: 600 of 600 seconds", id="wall clock"),
    pytest.param(
        {"max_bound_fraction": 0.75}, "max_bound_fraction: 0.8 of 0.75 of the bound", id="bound"
    ),
    pytest.param(
        {"max_candidates": 4, "max_device_s": 1, "max_wall_s": 1},
        "max_device_s: 40 of 1 device seconds",
        id="the first of two",
    ),
]


@pytest.mark.parametrize(("limits", "said"), CASES)
def test_the_first_limit_that_is_reached_stops(limits: dict[str, float], said: str):
    stop = stop_at(Policy.model_validate(limits), REACH)
    assert (worded(stop) if stop else "") == said


def test_an_unknown_bound_stops_nobody():
    reach = REACH.model_copy(update={"bound_fraction": None})
    assert stop_at(Policy(max_bound_fraction=0.1), reach) is None


def road_of(board, database, **limits: float) -> Road:
    return Road(board, database, Policy.model_validate(limits))


def test_a_stop_is_noted_once_and_holds(board, database):
    road = road_of(board, database, max_device_s=10)
    limits = Limits(board, database)
    limits.require_going(road.campaign, NOW)
    board.book(road.campaign.id, "health-1-aa", "duel", Spent(device_s=10))
    for _ in range(2):
        with pytest.raises(CampaignStopped, match="max_device_s: 10 of 10 device seconds"):
            limits.require_going(road.campaign, NOW)
    assert [event.kind for event in course.course(database, road.campaign.id).events] == ["stopped"]


def test_the_last_candidate_may_still_be_benchmarked(board, database):
    road = road_of(board, database, max_candidates=1)
    limits = Limits(board, database)
    road.hand_in(road.claim(), 0.1)
    with pytest.raises(CampaignStopped, match="Champion: the baseline"):
        limits.require_going(road.campaign, NOW)
    limits.require_going(road.campaign, NOW, handed_in=True)


async def test_a_stop_names_the_champion(board, database):
    road = road_of(board, database, max_candidates=1)
    await road.benchmark(road.claim(), 0.3)
    with pytest.raises(CampaignStopped, match=r"Champion: submission 1, 1\.35 times"):
        Limits(board, database).require_going(road.campaign, NOW)


def test_a_pause_holds_new_work_and_the_clock(board, database):
    road = road_of(board, database, max_wall_s=100)
    limits = Limits(board, database)
    start_s = road.campaign.started_s
    board.move(road.campaign.id, "paused", "lunch")
    with pytest.raises(CampaignPaused, match="is paused: lunch"):
        limits.require_going(road.campaign, start_s + 1_000_000)
    board.move(road.campaign.id, "resumed")
    limits.require_going(road.campaign, start_s + 99)


def test_an_ended_campaign_is_closed_and_stops_no_more(board, database):
    road = road_of(board, database, max_wall_s=1)
    board.end_campaign(road.campaign.id)
    ended = views.campaign(database, road.campaign.id)
    with pytest.raises(CampaignClosed):
        Limits(board, database).require_going(ended, NOW * 2)
    assert course.course(database, road.campaign.id).events == ()
