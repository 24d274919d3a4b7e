"""Duels and what becomes of them: how many pairs, against whom, and again if need be."""

import math

import pytest

from coordinator.pipeline import MAX_ROUNDS
from guard.domain.decision import Verdict
from guard.domain.errors import JobLost
from guard.domain.trace import Timed
from guard.wire import DuelOrder, DuelReport, Order, Progress
from memory import views
from memory.records import JobState
from tests.coordinator.fakes import (
    FakeReferee,
    baseline,
    fought,
    solution,
    wrong_while_timed,
)
from tests.coordinator.road import Road

DUELS = [
    # log-gain over the baseline, process pairs that decide, and that confirm, verdict
    pytest.param(0.5, 3, 2, Verdict.PROMOTED, id="clear gain"),
    pytest.param(0.0105, 8, 0, Verdict.ACCEPTED, id="an open question takes all pairs"),
    pytest.param(0.0, 1, 0, Verdict.ACCEPTED, id="as fast"),
    pytest.param(-0.02, 1, 0, Verdict.ACCEPTED, id="near the champion"),
    pytest.param(-0.5, 1, 0, Verdict.REVERTED, id="hopeless after one pair"),
]


@pytest.mark.parametrize(("gain", "deciding", "confirming", "verdict"), DUELS)
async def test_a_duel_takes_as_many_pairs_as_the_gate_asks_for(
    road: Road, gain, deciding, confirming, verdict
):
    result = await road.benchmark(road.claim(), gain)

    assert result.decision.verdict is verdict
    assert len(result.over_champion.pairs) == deciding
    numbers = [order.first_pair for order in road.referee.duels()]
    assert numbers == [*range(deciding), *range(confirming)]
    assert len(result.over_baseline.pairs) == (confirming or deciding)
    assert not result.derived
    assert isinstance(result.evaluations["w"], Timed)


async def test_a_promoted_candidate_is_the_next_ones_champion(road: Road):
    claim = road.claim()
    first = await road.benchmark(claim, 0.5)
    before = len(road.referee.orders)

    second = await road.benchmark(claim, 0.7)

    champion = views.champion(road.database, road.campaign.id)
    assert (champion.submission_id, champion.generation) == (second.submission_id, 2)
    assert second.champion_submission_id == first.submission_id
    against = [order.champion.digest for order in road.referee.duels()[before:]]
    assert against == [solution(0.5).digest] * 3 + [baseline().solution.digest] * 2
    assert second.speedup.estimate == pytest.approx(2.718**0.7, rel=1e-3)
    assert second.decision.over_champion is not None
    assert second.decision.over_champion.estimate == pytest.approx(2.718**0.2, rel=1e-3)


async def test_what_decided_never_enters_the_reported_speedup(road: Road):
    job = road.verified(road.claim(), 0.5)

    async def slower_once_it_is_confirmed(order: Order) -> None:
        if len(road.referee.duels()) > 3:
            # As many candidates' luck does not last.
            numbers = fought(order.model_copy(update={"candidate": solution(0.4)}))
            told = numbers.model_copy(update={"candidate": order.candidate.digest})
            road.referee.answers = [DuelReport(job=order.job, duel=told)]

    road.referee.before = slower_once_it_is_confirmed
    await road.pipeline.benchmark(job)

    result = road.result(job)
    assert result.decision.verdict is Verdict.PROMOTED
    assert result.speedup.estimate == pytest.approx(math.exp(0.4))
    assert result.evaluations["w"].performance.speedup_factor == pytest.approx(math.exp(0.4))


async def test_who_is_not_promoted_is_not_timed_against_the_baseline(road: Road):
    claim = road.claim()
    await road.benchmark(claim, 0.5)
    before = len(road.referee.orders)

    second = await road.benchmark(claim, 0.49)

    against = {order.champion.digest for order in road.referee.duels()[before:]}
    assert against == {solution(0.5).digest}
    assert second.derived
    assert not second.over_baseline.pairs
    assert second.speedup.estimate == pytest.approx(math.exp(0.49))
    assert second.speedup.low < math.exp(0.49) < second.speedup.high
    timed = second.evaluations["w"]
    assert isinstance(timed, Timed)
    assert timed.performance.latency_ms == pytest.approx(math.exp(0.01))
    assert timed.performance.speedup_factor == pytest.approx(math.exp(0.49))
    assert "Derived: " in timed.log
    seen = views.submission(road.database, second.submission_id)
    assert seen is not None and seen.derived


async def test_a_candidate_that_fails_while_timed_is_rejected_without_a_figure(road: Road):
    claim = road.claim()
    await road.benchmark(claim, 0.5)
    job = road.verified(claim, 0.7)
    road.referee.answers = [wrong_while_timed(job.id)]

    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.REJECTED
    assert not road.result(job).over_baseline.pairs
    assert road.result(job).evaluations["w"].status == "INCORRECT_NUMERICAL"


async def test_failing_beside_the_baseline_alone_is_failing(road: Road):
    claim = road.claim()
    await road.benchmark(claim, 0.5)
    job = road.verified(claim, 0.7)

    async def fail(order: Order) -> None:
        if isinstance(order, DuelOrder) and order.champion == baseline().solution:
            road.referee.answers = [wrong_while_timed(job.id)]

    road.referee.before = fail
    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.REJECTED
    assert views.champion(road.database, road.campaign.id).generation == 1


async def test_a_champion_that_changes_meanwhile_means_another_duel(road: Road):
    mine = road.verified(road.claim("ada"), 0.7)
    theirs = road.verified(road.claim("bob", "compute.register-tile"), 0.5)

    async def overtake(order: Order) -> None:
        road.referee.before = None
        await road.beside(FakeReferee()).benchmark(theirs)

    road.referee.before = overtake
    await road.pipeline.benchmark(mine)

    assert road.result(mine).generation == 1
    assert road.result(mine).champion_submission_id == theirs.submission_id
    assert views.champion(road.database, road.campaign.id).generation == 2


async def test_a_champion_that_never_stands_still_loses_the_job(road: Road):
    mine = road.verified(road.claim("ada"), 1.5)
    claim = road.claim("bob", "compute.register-tile")
    others = [road.verified(claim, 0.3 + n / 10) for n in range(2 * MAX_ROUNDS)]

    async def overtake(order: Order) -> None:
        if isinstance(order, DuelOrder) and order.first_pair == 0 and others:
            await road.beside(FakeReferee()).benchmark(others.pop(0))

    road.referee.before = overtake
    with pytest.raises(JobLost, match="the champion changed"):
        await road.pipeline.benchmark(mine)

    assert road.state(mine)[0] is JobState.LOST


async def test_progress_of_a_benchmark_grows(road: Road):
    told: list[Progress] = []

    async def notify(progress: Progress) -> None:
        told.append(progress)

    job = road.verified(road.claim(), 0.5)
    await road.pipeline.benchmark(job, notify)

    assert [progress.done for progress in told] == [50, 150, 250, 350, 450]
    assert {progress.total for progress in told} == {1000}
