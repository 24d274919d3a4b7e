import pytest

from guard.domain.errors import CampaignClosed, UnknownClaim
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, ClaimState
from tests.memory.builders import LEASE, NOW, claim, held, start


def close(board: Board, claim_id: str, state: ClaimState, **spent: float) -> ClaimState:
    return board.close_claim(
        claim_id, state, detail="told so", now_s=NOW, tokens=int(spent.get("tokens", 0))
    ).state


def kinds(database: Database, campaign: Campaign) -> list[str]:
    return [event.kind for event in views.claim_events(database, campaign.id)]


def test_a_claim_is_stored_with_its_event(
    database: Database, board: Board, campaign: Campaign
) -> None:
    taken = held(board, campaign)

    assert taken.id.startswith("c_")
    assert len(taken.id) >= 16
    assert (taken.generation, taken.state) == (1, ClaimState.LIVE)
    assert taken.expires_s == NOW + LEASE
    assert views.claim(database, taken.id) == taken
    assert kinds(database, campaign) == ["claimed"]


def test_a_held_strategy_is_refused_and_nothing_is_written(
    database: Database, board: Board, campaign: Campaign
) -> None:
    held(board, campaign, agent="ada")
    before = views.latest_seq(database, campaign.id)

    assert claim(board, campaign, agent="bob") is None
    assert views.latest_seq(database, campaign.id) == before


def test_an_agent_holds_one_strategy_at_a_time(board: Board, campaign: Campaign) -> None:
    held(board, campaign, "tiling")

    assert claim(board, campaign, "fusion") is None
    assert claim(board, start(board, "other"), "fusion") is not None


def test_an_expired_claim_is_taken_over_by_another_agent(
    database: Database, board: Board, campaign: Campaign
) -> None:
    first = held(board, campaign, agent="ada")

    assert claim(board, campaign, agent="bob", now_s=NOW + LEASE - 1) is None
    second = held(board, campaign, agent="bob", now_s=NOW + LEASE)

    assert second.generation == 2
    assert board.renew(first.id, lease_s=LEASE, now_s=NOW + LEASE).state is ClaimState.TAKEN_OVER
    assert kinds(database, campaign) == ["claimed", "taken_over", "claimed"]


@pytest.mark.parametrize("strategy", ["tiling", "fusion"])
def test_an_agent_that_claims_anew_abandons_its_expired_claim(
    database: Database, board: Board, campaign: Campaign, strategy: str
) -> None:
    first = held(board, campaign, "tiling")

    held(board, campaign, strategy, now_s=NOW + LEASE)

    old = views.claim(database, first.id)
    assert old is not None
    assert old.state is ClaimState.ABANDONED


def test_a_takeover_is_undone_when_the_agent_holds_another_claim(
    database: Database, board: Board, campaign: Campaign
) -> None:
    expired = held(board, campaign, "tiling", "ada")
    held(board, campaign, "fusion", "bob", now_s=NOW + LEASE)

    assert claim(board, campaign, "tiling", "bob", now_s=NOW + LEASE) is None
    assert views.claim(database, expired.id) == expired


def test_an_expired_claim_that_nobody_took_is_revived(
    database: Database, board: Board, campaign: Campaign
) -> None:
    taken = held(board, campaign)

    extended = board.renew(taken.id, lease_s=LEASE, now_s=NOW + 1)
    revived = board.renew(taken.id, lease_s=LEASE, now_s=NOW + 5 * LEASE)

    assert extended.expires_s == NOW + 1 + LEASE
    assert (revived.state, revived.expires_s) == (ClaimState.LIVE, NOW + 6 * LEASE)
    # An extension is no news; a revival is.
    assert kinds(database, campaign) == ["claimed", "renewed"]


@pytest.mark.parametrize(
    "state", [ClaimState.DONE, ClaimState.ABANDONED, ClaimState.EXHAUSTED], ids=str
)
def test_a_closed_claim_frees_strategy_and_agent(
    board: Board, campaign: Campaign, state: ClaimState
) -> None:
    first = held(board, campaign)

    assert close(board, first.id, state) is state
    assert board.renew(first.id, lease_s=LEASE, now_s=NOW + 1).expires_s == first.expires_s
    assert held(board, campaign).generation == 2


def test_closing_twice_keeps_the_first_outcome(
    database: Database, board: Board, campaign: Campaign
) -> None:
    taken = held(board, campaign)

    close(board, taken.id, ClaimState.DONE)

    assert close(board, taken.id, ClaimState.ABANDONED) is ClaimState.DONE
    assert kinds(database, campaign) == ["claimed", "done"]


def test_leaving_an_exhausted_claim_is_recorded_once_and_keeps_it_so(
    database: Database, board: Board, campaign: Campaign
) -> None:
    taken = held(board, campaign)
    close(board, taken.id, ClaimState.EXHAUSTED)

    for tokens in (700, 900):
        state = close(board, taken.id, ClaimState.DONE, tokens=tokens)
        assert state is ClaimState.EXHAUSTED

    assert kinds(database, campaign) == ["claimed", "exhausted", "done"]
    assert views.claim_events(database, campaign.id)[-1].tokens == 700


def test_a_campaign_that_ended_gives_no_claims(board: Board, campaign: Campaign) -> None:
    board.end_campaign(campaign.id)

    with pytest.raises(CampaignClosed):
        claim(board, campaign)


def test_an_unknown_claim_is_named(board: Board) -> None:
    with pytest.raises(UnknownClaim, match="'c_none'"):
        board.renew("c_none", lease_s=1, now_s=NOW)
    with pytest.raises(UnknownClaim, match="'c_none'"):
        close(board, "c_none", ClaimState.DONE)


def test_an_unknown_campaign_is_a_lookup_error(board: Board, campaign: Campaign) -> None:
    with pytest.raises(LookupError, match="999"):
        claim(board, campaign.model_copy(update={"id": 999}))
