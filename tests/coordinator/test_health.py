"""How the house watches its gate: what is due, what it finds, and that nobody waits or pays."""

import asyncio
import math

import pytest

from coordinator.catalogue import load
from coordinator.health import due, lineage, noise_of, went_wrong
from coordinator.pipeline import Pipeline
from guard.domain.decision import Policy, Verdict
from guard.domain.errors import RefereeLost
from guard.wire import DuelOrder, DuelReport, Order
from memory import health, views
from memory.board import Board
from memory.engine import Database
from memory.records import HealthDuel, JobState, Tally
from tests.coordinator.fakes import FakeReferee, baseline, fought, seeded, solution
from tests.coordinator.road import Road
from tests.guard.duels import QUIET, duel

POLICY = Policy()
LOST = RefereeLost("cpu", "it was killed")


def found(road: Road) -> list[HealthDuel]:
    return [d for d in health.health_duels(road.database, road.campaign.id) if d.kind != "seed"]


DUE = [
    # decisions, promotions, fought so far, kinds due
    pytest.param(19, 4, {}, (), id="not yet"),
    pytest.param(20, 0, {}, ("aa",), id="the twentieth decision"),
    pytest.param(20, 0, {"aa": 1}, (), id="done"),
    pytest.param(40, 0, {"aa": 2}, ("planted",), id="the fortieth decision"),
    pytest.param(45, 0, {"planted": 1}, ("aa",), id="missed ones are made up for"),
    pytest.param(5, 5, {}, ("grand",), id="the fifth promotion"),
]


@pytest.mark.parametrize(("decisions", "promotions", "so_far", "expected"), DUE)
def test_what_is_due_is_counted(decisions, promotions, so_far, expected):
    seen = Tally(decisions=decisions, promotions=promotions, last_number=decisions)
    assert due(seen, so_far, POLICY) == expected


SAME, FASTER, SLOWER = ([{"w": x}] * 3 for x in (0.0, 0.05, -0.05))
FAULTS = [
    # kind, pairs, whether the gate was at fault
    pytest.param("aa", SAME, False, id="the same is not promoted"),
    pytest.param("aa", FASTER, True, id="a false promotion"),
    pytest.param("planted", SLOWER, False, id="a loss that is seen"),
    pytest.param("planted", SAME, True, id="a loss that is not seen"),
    pytest.param("planted", FASTER, True, id="a loss that is promoted"),
    pytest.param("planted", [], False, id="nothing was timed"),
    pytest.param("grand", FASTER, False, id="the champion is faster than the first"),
]


@pytest.mark.parametrize(("kind", "pairs", "expected"), FAULTS)
def test_when_the_gate_is_at_fault(kind, pairs, expected):
    assert went_wrong(kind, duel(*pairs), POLICY, QUIET) is expected


async def test_sigma_is_measured_before_the_first_duel_alone(board: Board, database: Database):
    road = Road.unseeded(board, database, Policy())
    said = []

    async def notify(progress):
        said.append(progress.message)

    await road.pipeline.benchmark(road.verified(road.claim(), 0.5), notify)
    await road.benchmark(road.claim("bob", "fusion.epilogue"), 0.6)

    [seed] = health.health_duels(database, road.campaign.id)
    assert (seed.kind, len(seed.duel.pairs)) == ("seed", POLICY.aa_pairs)
    first = road.referee.duels()[: POLICY.aa_pairs]
    assert all(order.candidate == order.champion == baseline().solution for order in first)
    assert said[0] == "timing the champion against itself"
    decided = views.benchmarks(database, road.campaign.id)
    assert [b.terms.number for b in decided] == [1, 2]
    assert {b.terms.aa_through for b in decided} == {seed.seq}


async def test_waiting_jobs_share_one_measurement_of_sigma(board: Board, database: Database):
    road = Road.unseeded(board, database, Policy())
    jobs = [
        road.verified(road.claim(agent, strategy), gain)
        for agent, strategy, gain in (("ada", "memory.a", 0.5), ("bob", "fusion.b", 0.0))
    ]

    await asyncio.gather(*(road.pipeline.benchmark(job) for job in jobs))

    assert len(health.health_duels(database, road.campaign.id)) == 1
    assert sorted(road.result(job).terms.number for job in jobs) == [1, 2]


async def test_sigma_of_a_noisy_machine_keeps_a_small_gain_from_promotion(
    board: Board, database: Database
):
    road = Road.unseeded(board, database, Policy())
    board.record_health(seeded(road.campaign.id, 0.03, -0.03, 0.03, -0.03, 0.03, -0.03))

    result = await road.benchmark(road.claim(), 0.02)

    assert result.terms.sigma == pytest.approx(0.03 * math.sqrt(6 / 1.6354), rel=0.01)
    assert result.decision.verdict is Verdict.ACCEPTED
    assert "inconclusive" in result.decision.reason


@pytest.fixture
def watched(board: Board, database: Database) -> Road:
    """A campaign in which something is due after every second decision."""
    policy = Policy(aa_every=2, planted_every=2, grand_every=2, lane_after=99)
    return Road(board, database, policy)


async def test_after_decisions_the_champion_fights_itself_and_the_first_one(watched: Road):
    claim = watched.claim()
    first = await watched.benchmark(claim, 0.5)
    second = await watched.benchmark(claim, 0.7)
    await watched.pipeline.health.idle()

    aa, planted, grand = found(watched)

    assert (aa.kind, aa.ratio.estimate, aa.promoted, aa.wrong) == ("aa", 1.0, False, False)
    assert planted.kind == "planted"
    assert planted.ratio.estimate == pytest.approx(1 / 1.02) == planted.expected
    assert not planted.wrong
    assert (grand.kind, len(grand.duel.pairs)) == ("grand", POLICY.min_pairs)
    assert (grand.champion_submission_id, grand.against_submission_id) == (
        second.submission_id,
        first.submission_id,
    )
    assert grand.ratio.estimate == pytest.approx(math.exp(0.2)) == pytest.approx(grand.expected)
    handicaps = {order.handicap for order in watched.referee.duels()}
    assert handicaps == {0.0, POLICY.planted_loss}
    assert (
        len(
            noise_of(
                health.health_duels(watched.database, watched.campaign.id), watched.campaign.policy
            ).values
        )
        == 7
    )


async def test_a_false_promotion_is_found_and_recorded(watched: Road):
    claim = watched.claim()
    await watched.benchmark(claim, 0.5)

    async def flatter(order: Order) -> None:
        if isinstance(order, DuelOrder) and order.candidate == order.champion:
            numbers = fought(order.model_copy(update={"champion": solution(0.4)}))
            watched.referee.answers = [DuelReport(job=order.job, duel=numbers)]

    watched.referee.before = flatter
    await watched.benchmark(claim, 0.0)
    await watched.pipeline.health.idle()

    assert [(d.kind, d.wrong) for d in found(watched)] == [("aa", True), ("planted", True)]
    totals = {t.kind: (t.fought, t.wrong) for t in health.health_totals(watched.database)}
    assert totals == {"seed": (1, 0), "aa": (1, 1), "planted": (1, 1), "grand": (0, 0)}


async def test_a_failure_of_the_house_costs_nobody_and_is_made_up_for(watched: Road):
    claim = watched.claim()
    await watched.benchmark(claim, 0.5)
    lost = watched.verified(claim, 0.0)

    async def fail(order: Order) -> None:
        if order.job.startswith("health-"):
            watched.referee.answers = [LOST]

    watched.referee.before = fail
    await watched.pipeline.benchmark(lost)
    await watched.pipeline.health.idle()
    assert watched.state(lost)[0] is JobState.DONE
    assert found(watched) == []

    watched.referee.before = None
    await watched.benchmark(claim, 0.01)
    await watched.pipeline.health.idle()

    assert [d.kind for d in found(watched)] == ["aa", "planted"]


async def test_no_agent_waits_for_them_and_none_can_cancel_them(watched: Road):
    claim = watched.claim()
    await watched.benchmark(claim, 0.5)
    job = watched.verified(claim, 0.0)
    go_on = asyncio.Event()

    async def wait(order: Order) -> None:
        if order.job.startswith("health-"):
            await go_on.wait()

    watched.referee.before = wait
    await watched.pipeline.benchmark(job)
    assert watched.state(job)[0] is JobState.DONE
    assert not await watched.pipeline.cancel(job.id, "no longer wanted")
    go_on.set()
    await watched.pipeline.health.idle()

    assert [d.kind for d in found(watched)] == ["aa", "planted"]


async def test_what_was_under_way_when_the_server_stopped_is_due_again(watched: Road):
    claim = watched.claim()
    await watched.benchmark(claim, 0.5)
    stuck = asyncio.Event()

    async def hang(order: Order) -> None:
        if order.job.startswith("health-"):
            await stuck.wait()

    watched.referee.before = hang
    await watched.benchmark(claim, 0.0)
    await watched.pipeline.close()
    again = Pipeline(watched.board, watched.database, FakeReferee(), load(), clock=lambda: 0.0)

    await again.benchmark(watched.verified(claim, 0.01))
    await again.health.idle()

    assert [d.kind for d in found(watched)] == ["aa", "planted"]


async def test_the_line_of_champions_leaves_out_who_was_revoked(watched: Road):
    claim = watched.claim()
    first = await watched.benchmark(claim, 0.5)
    cheat = await watched.benchmark(claim, 3.0)
    await watched.pipeline.health.idle()
    watched.board.revoke(cheat.submission_id, "it kept answers")
    third = await watched.benchmark(claim, 0.6)
    await watched.pipeline.health.idle()

    decided = {b.submission_id: b for b in views.benchmarks(watched.database, watched.campaign.id)}
    begin, product = lineage(decided, third.submission_id)

    assert begin == first.submission_id
    assert product == pytest.approx(math.exp(0.1))
