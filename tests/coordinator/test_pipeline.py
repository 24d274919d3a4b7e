"""The road of one candidate, on a real board, with a referee that reads speeds from sources."""

import asyncio

import pytest

from coordinator import catalogue
from coordinator.claims import Claims
from coordinator.pipeline import MAX_ROUNDS, Pipeline
from guard.domain.decision import Policy, Verdict
from guard.domain.errors import (
    BadValue,
    ClaimInDrafting,
    JobLost,
    NotVerified,
    RefereeLost,
    StorageFull,
)
from guard.domain.trace import Timed
from guard.wire import BaselineOrder, DuelOrder, Order, Progress
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Benchmark, Claim, ClaimState, Job, JobState
from tests.coordinator.fakes import (
    CPU,
    FakeReferee,
    baseline,
    benchmark,
    problem,
    solution,
    wrong_while_timed,
)
from tests.guard.duels import verification

NOW = 1_000_000.0
LOST = RefereeLost("cpu", "it was killed")


class Road:
    """A pipeline with everything around it, and a clock that stands still."""

    def __init__(self, board: Board, database: Database, policy: Policy) -> None:
        self.board, self.database, self.now_s = board, database, NOW
        self.campaign = board.start_campaign(problem(), "cpu", "a cpu", policy, baseline())
        self.referee = FakeReferee()
        self.pipeline = self.beside(self.referee)

    def beside(self, referee: FakeReferee) -> Pipeline:
        """Another pipeline on the same board."""
        return Pipeline(self.board, self.database, referee, clock=lambda: self.now_s)

    def claim(self, agent: str = "ada", strategy: str = "memory.resident-row") -> Claim:
        claim = self.board.claim(
            self.campaign.id,
            strategy=strategy,
            lane=strategy.partition(".")[0],
            token="local",
            agent=agent,
            reason="",
            lease_s=self.campaign.policy.lease_s,
            now_s=self.now_s,
        )
        assert claim is not None
        return claim

    def hand_in(self, claim: Claim, gain: float, text: str = "") -> Job:
        return self.board.submit(claim.id, solution(gain, text), (), self.now_s)[1]

    async def verified(self, claim: Claim, gain: float, text: str = "") -> Job:
        """A benchmark job of a submission that passed."""
        job = self.hand_in(claim, gain, text)
        await self.beside(FakeReferee()).verify(job)
        return self.board.request_benchmark(job.submission_id, self.now_s)

    async def benchmark(self, claim: Claim, gain: float, text: str = "") -> Benchmark:
        job = await self.verified(claim, gain, text)
        await self.pipeline.benchmark(job)
        return self.result(job)

    def result(self, job: Job) -> Benchmark:
        found = views.benchmark_of(self.database, job.submission_id)
        assert found is not None
        return found

    def state(self, job: Job) -> tuple[JobState, str]:
        now = views.job(self.database, job.id)
        assert now is not None
        return now.state, now.reason

    def claim_now(self, claim: Claim) -> Claim:
        now = views.claim(self.database, claim.id)
        assert now is not None
        return now


@pytest.fixture
def road(board: Board, database: Database) -> Road:
    return Road(board, database, Policy(plateau_after=2))


# --- campaigns ------------------------------------------------------------------------------


async def test_callers_at_once_start_one_campaign_with_one_baseline(
    board: Board, database: Database
):
    referee = FakeReferee()
    pipeline = Pipeline(board, database, referee)

    started = await asyncio.gather(
        *(pipeline.ensure_campaign(problem(), CPU, Policy()) for _ in range(5))
    )
    later = await pipeline.ensure_campaign(problem(), CPU, Policy(plateau_after=9))

    assert {campaign.id for campaign in (*started, later)} == {started[0].id}
    assert later.policy == Policy()
    assert len(referee.orders) == 1


async def test_a_caller_that_leaves_does_not_stop_the_start(board: Board, database: Database):
    referee = FakeReferee()
    go_on = asyncio.Event()

    async def wait(_: Order) -> None:
        await go_on.wait()

    referee.before = wait
    pipeline = Pipeline(board, database, referee)
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
    pipeline = Pipeline(board, database, referee)

    with pytest.raises(RefereeLost):
        await pipeline.ensure_campaign(problem(), CPU, Policy())

    assert (await pipeline.ensure_campaign(problem(), CPU, Policy())).id
    assert all(isinstance(order, BaselineOrder) for order in referee.orders)


async def test_a_problem_without_workloads_for_the_device_is_refused(
    board: Board, database: Database
):
    without = problem().model_copy(update={"cpu_workloads": ()})

    with pytest.raises(BadValue, match="no workloads for a cpu device"):
        await Pipeline(board, database, FakeReferee()).ensure_campaign(without, CPU, Policy())


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
    job = await road.verified(claim, 0.1)
    road.referee.answers = [LOST]

    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.PROMOTED


@pytest.mark.parametrize("kind", ["verify", "benchmark"])
async def test_two_house_failures_lose_the_job_and_leave_no_record(road: Road, kind):
    claim = road.claim()
    job = road.hand_in(claim, 0.1) if kind == "verify" else await road.verified(claim, 0.1)
    road.referee.answers = [LOST, LOST]

    with pytest.raises(RefereeLost):
        await getattr(road.pipeline, kind)(job)

    assert road.state(job) == (JobState.LOST, LOST.message)
    assert not views.benchmarks_of_claim(road.database, claim.id)


class FullDisk(Board):
    """A board that can start a job, and then nothing more."""

    def record_verification(self, *_: object) -> None:
        raise StorageFull("board.db", "no space left")

    def lose_job(self, *_: object) -> bool:
        raise StorageFull("board.db", "no space left")


async def test_a_full_disk_leaves_the_job_open_for_the_next_start(road: Road):
    job = road.hand_in(road.claim(), 0.1)
    full = Pipeline(FullDisk(road.database), road.database, road.referee)

    with pytest.raises(StorageFull):
        await full.verify(job)
    assert road.state(job)[0] is JobState.RUNNING
    await road.pipeline.verify(job)

    assert road.state(job)[0] is JobState.DONE


# --- cancelling -----------------------------------------------------------------------------


async def test_cancelling_ends_a_job_between_two_process_pairs(road: Road):
    job = await road.verified(road.claim(), 0.1)

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


# --- duels ----------------------------------------------------------------------------------

DUELS = [
    # log-gain over the baseline, process pairs, verdict
    pytest.param(0.5, 3, Verdict.PROMOTED, id="clear gain"),
    pytest.param(0.0105, 5, Verdict.ACCEPTED, id="an open question takes all pairs"),
    pytest.param(-0.02, 3, Verdict.ACCEPTED, id="near the champion"),
    pytest.param(-0.5, 1, Verdict.REVERTED, id="hopeless after one pair"),
]


@pytest.mark.parametrize(("gain", "pairs", "verdict"), DUELS)
async def test_a_duel_takes_as_many_pairs_as_the_gate_asks_for(road: Road, gain, pairs, verdict):
    result = await road.benchmark(road.claim(), gain)

    assert result.decision.verdict is verdict
    assert len(result.over_champion.pairs) == pairs
    assert [order.first_pair for order in road.referee.duels()] == list(range(pairs))
    assert result.over_baseline == result.over_champion
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
    assert against == [solution(0.5).digest] * 3 + [baseline().solution.digest]
    assert second.speedup.estimate == pytest.approx(2.718**0.7, rel=1e-3)
    assert second.decision.over_champion is not None
    assert second.decision.over_champion.estimate == pytest.approx(2.718**0.2, rel=1e-3)


async def test_a_candidate_that_fails_while_timed_is_rejected_without_a_figure(road: Road):
    claim = road.claim()
    await road.benchmark(claim, 0.5)
    job = await road.verified(claim, 0.7)
    road.referee.answers = [wrong_while_timed(job.id)]

    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.REJECTED
    assert not road.result(job).over_baseline.pairs
    assert road.result(job).evaluations["w"].status == "INCORRECT_NUMERICAL"


async def test_failing_beside_the_baseline_alone_is_failing(road: Road):
    claim = road.claim()
    await road.benchmark(claim, 0.5)
    job = await road.verified(claim, 0.7)

    async def fail(order: Order) -> None:
        if isinstance(order, DuelOrder) and order.champion == baseline().solution:
            road.referee.answers = [wrong_while_timed(job.id)]

    road.referee.before = fail
    await road.pipeline.benchmark(job)

    assert road.result(job).decision.verdict is Verdict.REJECTED
    assert views.champion(road.database, road.campaign.id).generation == 1


async def test_a_champion_that_changes_meanwhile_means_another_duel(road: Road):
    mine = await road.verified(road.claim("ada"), 0.7)
    theirs = await road.verified(road.claim("bob", "compute.register-tile"), 0.5)

    async def overtake(order: Order) -> None:
        road.referee.before = None
        await road.beside(FakeReferee()).benchmark(theirs)

    road.referee.before = overtake
    await road.pipeline.benchmark(mine)

    assert road.result(mine).generation == 1
    assert road.result(mine).champion_submission_id == theirs.submission_id
    assert views.champion(road.database, road.campaign.id).generation == 2


async def test_a_champion_that_never_stands_still_loses_the_job(road: Road):
    mine = await road.verified(road.claim("ada"), 1.5)
    claim = road.claim("bob", "compute.register-tile")
    others = [await road.verified(claim, 0.3 + n / 10) for n in range(MAX_ROUNDS)]

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

    job = await road.verified(road.claim(), 0.5)
    await road.pipeline.benchmark(job, notify)

    assert [progress.done for progress in told] == [50, 150, 250]
    assert {progress.total for progress in told} == {600}


# --- the plateau and the lease --------------------------------------------------------------


async def test_a_row_without_progress_sends_the_claim_into_drafting(road: Road):
    claim = road.claim()

    progress = [
        (await road.benchmark(claim, gain, str(n))).progress
        for n, gain in enumerate((0.5, 0.501, 0.4))
    ]

    assert progress == [True, False, False]
    assert road.claim_now(claim).state is ClaimState.DRAFTING
    event = views.claim_events(road.database, road.campaign.id)[-1]
    assert (event.kind, event.detail.split()[0]) == ("drafting", "2")


async def test_beating_ones_own_best_is_progress_without_being_champion(road: Road):
    await road.benchmark(road.claim("bob", "compute.register-tile"), 0.9)
    claim = road.claim()

    gains = (0.3, 0.35, 0.4)
    progress = [(await road.benchmark(claim, gain)).progress for gain in gains]

    assert progress == [True] * 3
    assert road.claim_now(claim).state is ClaimState.LIVE


async def test_a_server_stopped_before_drafting_comes_to_the_same_end(road: Road):
    claim = road.claim()
    for n in range(2):
        job = await road.verified(claim, 0.1, str(n))
        road.board.record_benchmark(
            benchmark(submission_id=job.submission_id), job.id, promote=None
        )
    claims = Claims(road.board, road.database, catalogue.load(), device_kinds={"cpu": "cpu"})
    assert road.claim_now(claim).state is ClaimState.LIVE

    with pytest.raises(ClaimInDrafting, match="2 benchmarked"):
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
    job = await road.verified(claim, 0.5)
    road.now_s += road.campaign.policy.lease_s + 1
    heir = road.claim("bob")

    await road.pipeline.benchmark(job)

    assert road.claim_now(claim).state is ClaimState.TAKEN_OVER
    assert road.claim_now(heir).state is ClaimState.LIVE
    assert road.result(job).decision.verdict is Verdict.PROMOTED
