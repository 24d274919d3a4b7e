"""A campaign's course: its events, what was spent on it, who read what."""

import pytest

from guard.domain.spent import Spent
from memory import course, views
from memory.board import Board
from memory.course import Stop
from memory.engine import Database
from tests.memory.builders import LEASE, NOW, held, solution, start

STOP = Stop(limit="max_candidates", allowed=3, reached=3, unit="candidates")


class Clock:
    """Stands still until it is set."""

    now_s = NOW

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def board(database: Database, clock: Clock) -> Board:
    return Board(database, clock=clock)


def test_a_campaign_is_paused_once_and_goes_on_once(
    board: Board, database: Database, clock: Clock
) -> None:
    campaign = start(board)
    assert [board.move(campaign.id, kind) for kind in ("resumed", "paused", "paused")] == [
        False,
        True,
        False,
    ]
    clock.now_s = NOW + 50
    assert (pause := course.course(database, campaign.id).pause) and pause.at_s == NOW
    assert course.course(database, campaign.id).paused_s(clock.now_s) == 50
    assert board.move(campaign.id, "resumed")
    clock.now_s = NOW + 90
    found = course.course(database, campaign.id)
    assert (found.pause, found.paused_s(clock.now_s)) == (None, 50)
    assert [event.kind for event in found.events] == ["paused", "resumed"]


def test_a_pause_costs_no_lease(board: Board, database: Database, clock: Clock) -> None:
    campaign = start(board)
    kept = held(board, campaign)
    lapsed = held(board, campaign, "fusion", "bob", now_s=NOW - 2 * LEASE)
    board.move(campaign.id, "paused")
    clock.now_s = NOW + 5 * LEASE
    board.move(campaign.id, "resumed")
    found = {claim.id: claim.expires_s for claim in views.claims(database, campaign.id)}
    assert found[kept.id] == clock.now_s + LEASE
    assert found[lapsed.id] == lapsed.expires_s


def test_a_campaign_is_stopped_once_and_says_at_what(board: Board, database: Database) -> None:
    campaign = start(board)
    assert board.move(campaign.id, "stopped", STOP.model_dump_json())
    assert not board.move(campaign.id, "stopped", STOP.model_dump_json())
    assert course.course(database, campaign.id).stop == STOP


def test_an_ended_campaign_takes_no_turn(board: Board) -> None:
    campaign = start(board)
    board.end_campaign(campaign.id)
    assert not board.move(campaign.id, "paused")


def test_each_order_is_booked_to_its_job_or_to_the_house(board: Board, database: Database) -> None:
    campaign = start(board)
    claim = held(board, campaign)
    submission, job = board.submit(claim.id, solution(), (), NOW)
    board.book(campaign.id, job.id, "verify", Spent(wait_s=1, compile_s=2, device_s=3))
    board.book(campaign.id, "health-1-aa", "duel", Spent(device_s=4))
    mine, house = course.spendings(database, campaign.id)
    assert (mine.claim_id, mine.submission_id, mine.job_id) == (claim.id, submission.id, job.id)
    assert mine.spent == Spent(wait_s=1, compile_s=2, device_s=3)
    assert (house.claim_id, house.job_id, house.ordered) == ("", "", "duel")
    found = course.totals(database, campaign.id)
    assert (found.candidates, found.device_s) == (1, 7.0)
    assert course.totals(database, campaign.id, found) == found
    board.submit(claim.id, solution("another"), (), NOW)
    board.book(campaign.id, "health-1-aa", "duel", Spent(device_s=0.5))
    later = course.totals(database, campaign.id, found)
    assert later == course.totals(database, campaign.id)
    assert (later.candidates, later.device_s) == (2, 7.5)


def test_a_conclusion_is_read_once(board: Board, database: Database, clock: Clock) -> None:
    campaign = start(board)
    claim = held(board, campaign)
    submission, _ = board.submit(claim.id, solution(), (), NOW)
    posted = board.post_conclusion(claim.id, "trap", "n", "r", [submission.id], None, NOW)
    reader = held(board, campaign, "fusion", "bob")
    board.note_reading(reader.id, [posted.seq, 999])
    clock.now_s = NOW + 9
    board.note_reading(reader.id, [posted.seq])
    [reading] = course.readings(database, campaign.id)
    assert (reading.claim_id, reading.conclusion_seq, reading.at_s) == (reader.id, posted.seq, NOW)
