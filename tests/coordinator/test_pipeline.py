"""The road of one candidate, on a real board, with a referee that reads speeds from sources."""

import asyncio

import pytest

from coordinator import catalogue
from coordinator.catalogue import load
from coordinator.claims import Claims
from coordinator.pipeline import Pipeline
from guard.domain.decision import Policy, Verdict
from guard.domain.errors import (
    BadValue,
    ClaimClosed,
    NotVerified,
    RefereeLost,
    StorageFull,
)
from guard.wire import BaselineOrder, Order
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Claim, ClaimState, JobState
from tests.coordinator.fakes import CPU, FakeReferee, benchmark, problem
from tests.coordinator.road import NOW, Road
from tests.guard.duels import verification

LOST = RefereeLost("cpu", "it was killed")

# --- campaigns ------------------------------------------------------------------------------


async def test_callers_at_once_start_one_campaign_with_one_baseline(
    board: Board, database: Database
):
    referee = FakeReferee()
    pipeline = Pipeline(board, database, referee, load())

    started = await asyncio.gather(
        *(pipeline.ensure_campaign(problem(), CPU, Policy()) for _ in range(5))
    )
    moved = problem().model_copy(update={"folder": "elsewhere"})
    later = await pipeline.ensure_campaign(moved, CPU, Policy())

    assert {campaign.id for campaign in (*started, later)} == {started[0].id}
    assert len(referee.orders) == 1


async def test_a_campaign_ends_when_its_policy_has_changed(board: Board, database: Database):
    pipeline = Pipeline(board, database, FakeReferee(), load())
    first = await pipeline.ensure_campaign(problem(), CPU, Policy())

    second = await pipeline.ensure_campaign(problem(), CPU, Policy(lane_after=9))

    assert views.campaign(database, first.id).ended_s is not None
    assert (second.id, second.ended_s) == (first.id + 1, None)


async def test_a_caller_that_leaves_does_not_stop_the_start(board: Board, database: Database):
    referee = FakeReferee()
    go_on = asyncio.Event()

    async def wait(_: Order) -> None:
        await go_on.wait()

    referee.before = wait
    pipeline = Pipeline(board, database, referee, load())
    first = asyncio.create_task(pipeline.ensure_campaign(problem(), CPU, Policy()))
    second = asyncio.create_task(pipeline.ensure_campaign(problem(), CPU, Policy()))
    await asyncio.sleep(0.05)

    first.cancel()
    go_on.set()

    assert (await second).device == "cpu"
    assert len(referee.orders) == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_failed_start_can_be_tried_again(board: Board, database: Database):
    referee = FakeReferee()
    referee.answers = [LOST, LOST]
    pipeline = Pipeline(board, database, referee, load())

    with pytest.raises(RefereeLost):
        await pipeline.ensure_campaign(problem(), CPU, Policy())

    assert (await pipeline.ensure_campaign(problem(), CPU, Policy())).id
    assert all(isinstance(order, BaselineOrder) for order in referee.orders)


async def test_a_problem_without_workloads_for_the_device_is_refused(
    board: Board, database: Database
):
    without = problem().model_copy(update={"cpu_workloads": ()})

    with pytest.raises(BadValue, match="no workloads for a cpu device"):
        await Pipeline(board, database, FakeReferee(), load()).ensure_campaign(
            without, CPU, Policy()
        )


# --- verify ---------------------------------------------------------------------------------


async def test_a_verification_is_recorded_and_ends_the_job(road: Road):
    job = road.hand_in(road.claim(), 0.1)

    await road.pipeline.verify(job)

    submission = views.submission(road.database, job.submission_id)
    assert submission is not None and submission.verification == road.referee.verdict
    assert road.state(job)[0] is JobState.DONE


async def test_what_only_compiles_here_counts_as_nothing(road: Road):
    road.referee.verdict = verification(note="compiled, not verified: no GPU here")
    job = road.hand_in(road.claim(), 0.1)

    await road.pipeline.verify(job)
    asked = road.board.request_benchmark(job.submission_id, NOW)
    with pytest.raises(NotVerified):
        await road.pipeline.benchmark(asked)

    assert road.state(asked)[0] is JobState.LOST
    assert not views.benchmarks(road.database, road.campaign.id)


async def test_a_job_that_ended_is_not_run_again(road: Road):
    job = road.hand_in(road.claim(), 0.1)
    road.board.cancel_job(job.id, "changed my mind", NOW)

    await road.pipeline.verify(job)

    assert not road.referee.orders
    assert road.state(job) == (JobState.CANCELLED, "changed my mind")


async def test_a_job_that_a_stopped_server_left_running_is_run_again(road: Road):
    job = road.hand_in(road.claim(), 0.1)
    road.board.start_job(job.id)

    await road.pipeline.verify(job)

    assert road.state(job)[0] is JobState.DONE


async def test_a_house_failure_is_tried_again_and_charged_to_nobody(road: Road):
    claim = road.claim()
    job = road.verified(claim, 0.1)
    road.referee.answers = [LOST]

    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.PROMOTED


@pytest.mark.parametrize("kind", ["verify", "benchmark"])
async def test_two_house_failures_lose_the_job_and_leave_no_record(road: Road, kind):
    claim = road.claim()
    job = road.hand_in(claim, 0.1) if kind == "verify" else road.verified(claim, 0.1)
    road.referee.answers = [LOST, LOST]

    with pytest.raises(RefereeLost):
        await getattr(road.pipeline, kind)(job)

    assert road.state(job) == (JobState.LOST, LOST.message)
    assert not views.benchmarks_of_claim(road.database, claim.id)


class FullDisk(Board):
    """A board that can start a job, and then nothing more."""

    def record_verification(self, *_: object, **__: object) -> None:
        raise StorageFull("board.db", "no space left")

    def lose_job(self, *_: object) -> bool:
        raise StorageFull("board.db", "no space left")


async def test_a_full_disk_leaves_the_job_open_for_the_next_start(road: Road):
    job = road.hand_in(road.claim(), 0.1)
    full = Pipeline(FullDisk(road.database), road.database, road.referee, load())

    with pytest.raises(StorageFull):
        await full.verify(job)
    assert road.state(job)[0] is JobState.RUNNING
    await road.pipeline.verify(job)

    assert road.state(job)[0] is JobState.DONE


# --- cancelling -----------------------------------------------------------------------------


async def test_cancelling_ends_a_job_between_two_process_pairs(road: Road):
    job = road.verified(road.claim(), 0.1)

    async def cancel(order: Order) -> None:
        assert await road.pipeline.cancel(job.id, "no longer wanted")
        road.referee.cancelled.clear()

    road.referee.before = cancel
    await road.pipeline.benchmark(job)

    assert len(road.referee.orders) == 1
    assert road.state(job) == (JobState.CANCELLED, "no longer wanted")
    assert not views.benchmarks(road.database, road.campaign.id)


async def test_a_job_that_the_referee_cancelled_is_recorded_so(road: Road):
    job = road.hand_in(road.claim(), 0.1)
    road.referee.cancelled.add(job.id)

    await road.pipeline.verify(job)

    assert road.state(job)[0] is JobState.CANCELLED
    assert not await road.pipeline.cancel(job.id, "again")


# --- the plateau and the lease --------------------------------------------------------------


async def test_a_row_without_progress_ends_the_claim(road: Road):
    claim = road.claim()

    progress = [
        (await road.benchmark(claim, gain, str(n))).progress
        for n, gain in enumerate((0.5, 0.501, 0.4))
    ]

    assert progress == [True, False, False]
    assert road.claim_now(claim).state is ClaimState.EXHAUSTED
    event = views.claim_events(road.database, road.campaign.id)[-1]
    assert (event.kind, event.detail.split()[0]) == ("exhausted", "2")


async def test_beating_ones_own_best_is_progress_without_being_champion(road: Road):
    await road.benchmark(road.claim("bob", "compute.register-tile"), 0.9)
    claim = road.claim()

    gains = (0.3, 0.35, 0.4)
    progress = [(await road.benchmark(claim, gain)).progress for gain in gains]

    assert progress == [True] * 3
    assert road.claim_now(claim).state is ClaimState.LIVE


async def test_a_server_stopped_before_a_claim_ends_comes_to_the_same_end(road: Road):
    claim = road.claim()
    for n in range(2):
        job = road.verified(claim, 0.1, str(n))
        road.board.record_benchmark(
            benchmark(submission_id=job.submission_id), job.id, promote=None
        )
    claims = Claims(road.board, road.database, catalogue.load(), devices={"cpu": CPU})
    assert road.claim_now(claim).state is ClaimState.LIVE

    with pytest.raises(ClaimClosed, match="ended at its plateau"):
        claims.use(claim.id, "local", NOW)

    following = claims.assign(road.campaign, prefer="", token="local", agent="ada", now_s=NOW)
    assert isinstance(following, Claim) and following.lane != claim.lane


async def test_a_running_job_keeps_its_claim_alive(board: Board, database: Database):
    road = Road(board, database, Policy(lease_s=0.06))
    claim = road.claim()
    job = road.hand_in(claim, 0.1)

    async def take_long(_: Order) -> None:
        road.now_s += 1000
        await asyncio.sleep(0.1)

    road.referee.before = take_long
    await road.pipeline.verify(job)

    assert road.claim_now(claim).expires_s == pytest.approx(NOW + 1000.06)


async def test_a_claim_taken_over_while_its_job_ran_stays_taken_over(road: Road):
    claim = road.claim()
    job = road.verified(claim, 0.5)
    road.now_s += road.campaign.policy.lease_s + 1
    heir = road.claim("bob")

    await road.pipeline.benchmark(job)

    assert road.claim_now(claim).state is ClaimState.TAKEN_OVER
    assert road.claim_now(heir).state is ClaimState.LIVE
    assert road.result(job).decision.verdict is Verdict.PROMOTED
