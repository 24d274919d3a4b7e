"""A champion is revoked while others fight it: nothing is decided by a false yardstick."""

from guard.domain.decision import Verdict
from guard.wire import DuelOrder
from memory import views
from tests.coordinator.road import Road

REASON = "it kept answers between calls"


async def _revoke_when_fought(road: Road, revoked: int, digest: str) -> None:
    async def before(order):
        if isinstance(order, DuelOrder) and order.champion.digest == digest:
            road.board.revoke(revoked, REASON)

    road.referee.before = before


async def test_a_duel_against_a_champion_revoked_meanwhile_is_fought_again(road: Road):
    claim = road.claim()
    honest = await road.benchmark(claim, 0.1)
    cheat = await road.benchmark(claim, 3.0)
    assert cheat.decision.verdict is Verdict.PROMOTED
    champion = views.champion(road.database, road.campaign.id)
    await _revoke_when_fought(road, cheat.submission_id, champion.solution.digest)

    late = await road.benchmark(road.claim("bob", "fusion.epilogue"), 0.3)

    # Against the cheat it had lost, and its agent would have been charged with that.
    assert late.decision.verdict is Verdict.PROMOTED
    assert late.champion_submission_id == honest.submission_id
    assert views.champion(road.database, road.campaign.id).submission_id == late.submission_id


async def test_a_revoked_solution_is_not_promoted_under_another_claim(road: Road):
    cheat = await road.benchmark(road.claim(), 0.5)
    road.board.revoke(cheat.submission_id, REASON)

    again = await road.benchmark(road.claim("bob", "fusion.epilogue"), 0.5)

    assert again.decision.verdict is Verdict.SUSPECT
    assert REASON in again.decision.reason
    assert views.champion(road.database, road.campaign.id).submission_id == 0


async def test_a_revoked_time_is_no_mark_that_its_claim_must_beat(road: Road):
    claim = road.claim()
    cheat = await road.benchmark(claim, 3.0)
    road.board.revoke(cheat.submission_id, REASON)

    honest = await road.benchmark(claim, 0.2)

    assert honest.decision.verdict is Verdict.PROMOTED
    assert honest.progress
