"""Claims on a real board: exclusive, leased, taken over, released."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from coordinator import catalogue
from coordinator.claims import Busy, Claims
from guard.domain.decision import Policy
from guard.domain.errors import (
    BadValue,
    CampaignClosed,
    ClaimClosed,
    ClaimTakenOver,
    UnknownClaim,
    UnknownDevice,
)
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Claim, ClaimState
from tests.coordinator.fakes import CPU, baseline, problem

NOW = 1_000_000.0
LEASE = Policy().lease_s
LATER = NOW + LEASE + 1


def take(
    claims: Claims, campaign: Campaign, agent: str = "ada", prefer: str = "", now_s: float = NOW
) -> Claim:
    claim = claims.assign(campaign, prefer=prefer, token="local", agent=agent, now_s=now_s)
    assert isinstance(claim, Claim)
    return claim


def fill(claims: Claims, campaign: Campaign, now_s: float = NOW) -> list[Claim]:
    """Claim until nothing is free, each a second later than the last."""
    taken: list[Claim] = []
    while True:
        claim = claims.assign(
            campaign,
            prefer="",
            token="local",
            agent=f"agent {len(taken)}",
            now_s=now_s + len(taken),
        )
        if isinstance(claim, Busy):
            return taken
        taken.append(claim)


def test_a_claim_has_a_lease_a_generation_and_a_reason(claims: Claims, campaign: Campaign):
    claim = take(claims, campaign)

    assert claim.expires_s == NOW + LEASE
    assert claim.generation == 1
    assert claim.reason


def test_asking_again_returns_the_same_claim_with_a_fresh_lease(claims: Claims, campaign: Campaign):
    first = take(claims, campaign)

    again = take(claims, campaign, prefer="compute", now_s=NOW + 60)

    assert again.id == first.id
    assert again.expires_s == NOW + 60 + LEASE


def test_an_expired_claim_of_ones_own_is_returned_too(claims: Claims, campaign: Campaign):
    first = take(claims, campaign)

    assert take(claims, campaign, now_s=LATER).id == first.id


def test_labels_under_one_token_are_different_agents(claims: Claims, campaign: Campaign):
    assert take(claims, campaign, "ada").strategy != take(claims, campaign, "bob").strategy


def test_the_same_strategy_is_free_in_another_campaign(
    claims: Claims, board: Board, campaign: Campaign
):
    other = board.start_campaign(problem("other"), "cpu", "a cpu", Policy(), baseline())

    assert take(claims, campaign).strategy == take(claims, other, "bob").strategy


def test_agents_that_ask_at_once_get_different_strategies(claims: Claims, campaign: Campaign):
    agents = [f"agent {n}" for n in range(8)]
    with ThreadPoolExecutor(len(agents)) as pool:
        taken = list(pool.map(lambda agent: take(claims, campaign, agent), agents))

    assert len({claim.strategy for claim in taken}) == len(agents)


def test_one_agent_that_asks_twice_at_once_gets_one_claim(claims: Claims, campaign: Campaign):
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: take(claims, campaign), range(4)))

    assert len({claim.id for claim in taken}) == 1


def test_none_free_names_the_holders_and_when_to_come_back(claims: Claims, campaign: Campaign):
    taken = fill(claims, campaign)

    busy = claims.assign(campaign, prefer="", token="local", agent="late", now_s=NOW + 100)

    assert isinstance(busy, Busy)
    assert {holder.id for holder in busy.holders} == {claim.id for claim in taken}
    assert busy.retry_after_s == LEASE - 100


@pytest.mark.parametrize(
    ("wrong", "offered"),
    [("memori", "'memory'"), ("memory.vectorloads", "'memory.vector-loads'")],
)
def test_a_misspelt_wish_is_answered_with_the_nearest_name(
    claims: Claims, campaign: Campaign, wrong, offered
):
    with pytest.raises(BadValue, match=f"Did you mean {offered}") as caught:
        take(claims, campaign, prefer=wrong)

    assert repr(wrong) in caught.value.message


def test_an_ended_campaign_hands_out_nothing_and_accepts_nothing(
    claims: Claims, board: Board, database: Database, campaign: Campaign
):
    claim = take(claims, campaign)
    board.end_campaign(campaign.id)

    with pytest.raises(CampaignClosed):
        claims.use(claim.id, "local", NOW)
    with pytest.raises(CampaignClosed):
        take(claims, views.campaign(database, campaign.id))


def test_a_device_that_is_gone_is_named(board: Board, database: Database, campaign: Campaign):
    claims = Claims(board, database, catalogue.load(), devices={"cuda:0": CPU})

    with pytest.raises(UnknownDevice, match="'cpu'"):
        take(claims, campaign)


def test_use_renews_the_lease(claims: Claims, campaign: Campaign):
    claim = take(claims, campaign)

    used, revived = claims.use(claim.id, "local", NOW + 60)

    assert used.expires_s == NOW + 60 + LEASE
    assert not revived


def test_an_expired_claim_that_nobody_took_is_renewed_and_said_so(
    claims: Claims, database: Database, campaign: Campaign
):
    claim = take(claims, campaign)

    used, revived = claims.use(claim.id, "local", LATER)

    assert revived
    assert used.expires_s == LATER + LEASE
    events = views.claim_events(database, campaign.id)
    assert [event.kind for event in events] == ["claimed", "renewed"]


def test_a_claim_that_was_taken_over_answers_with_the_alternatives(
    claims: Claims, database: Database, campaign: Campaign
):
    claim = take(claims, campaign, prefer="memory.resident-row")
    heir = take(claims, campaign, "bob", prefer="memory.resident-row", now_s=LATER)
    assert heir.strategy == claim.strategy
    assert heir.generation == 2

    with pytest.raises(ClaimTakenOver) as caught:
        claims.use(claim.id, "local", LATER)
    with pytest.raises(ClaimTakenOver):
        claims.release(claim.id, "local", "done", now_s=LATER)

    assert "memory.vector-loads" in caught.value.hint
    assert "memory.resident-row" not in caught.value.hint


@pytest.mark.parametrize("token", ["other", ""])
def test_another_tokens_claim_and_no_claim_get_the_same_answer(
    claims: Claims, campaign: Campaign, token
):
    claim = take(claims, campaign)

    for id_ in (claim.id, "c_nothing"):
        with pytest.raises(UnknownClaim, match="No claim of yours has the id"):
            claims.use(id_, token, NOW)
        with pytest.raises(UnknownClaim, match="No claim of yours has the id"):
            claims.release(id_, token, "done", now_s=NOW)


def test_a_released_claim_frees_its_strategy_and_accepts_nothing(
    claims: Claims, campaign: Campaign
):
    claim = take(claims, campaign, prefer="memory.resident-row")

    closed = claims.release(claim.id, "local", "done", now_s=NOW, model="m", tokens=10)
    again = claims.release(claim.id, "local", "abandoned", now_s=NOW)

    assert closed.state is again.state is ClaimState.DONE
    with pytest.raises(ClaimClosed):
        claims.use(claim.id, "local", NOW)
    assert take(claims, campaign, "bob", prefer="memory.resident-row").generation == 2


def test_leaving_an_exhausted_claim_does_not_undo_the_change_of_lanes(
    claims: Claims, board: Board, campaign: Campaign
):
    claim = take(claims, campaign, prefer="memory")
    board.close_claim(claim.id, ClaimState.EXHAUSTED, detail="stalled", now_s=NOW)

    with pytest.raises(ClaimClosed, match="ended at its plateau"):
        claims.use(claim.id, "local", NOW)
    left = claims.release(claim.id, "local", "abandoned", now_s=NOW, cost_usd=0.5)
    following = take(claims, campaign, prefer="memory")

    assert left.state is ClaimState.EXHAUSTED
    assert following.lane != "memory"
    assert "reached its plateau" in following.reason
