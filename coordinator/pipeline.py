"""The road of one candidate: its steps in order, each recorded on the board.

    verify job:     submission ─ record? ─ referee ─> verification ─> adherence ─> board
    benchmark job:  champion ─ duel, pair by pair ─> gate ─> board ─> plateau ─> health duels
                       └──────── another champion meanwhile: again ────────┘

One pipeline serves one device. The referee measures, `guard.gate` decides, the board records; this
module only calls them in order. A failure of the house is tried once more, then the job is marked
lost and nothing is charged to the agent: no benchmark is recorded, so no plateau moves.

Start at `Pipeline.benchmark`. Not here: who asks for jobs and waits for them (`server`), how the
device's time is shared (`guard.referee.main`).
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from coordinator import adherence, contest
from coordinator.catalogue import Catalogue
from coordinator.contest import Bout, Candidate
from coordinator.health import Health
from coordinator.judging import Judged, judge
from coordinator.orders import Meter, Notify, Orders, Stopped, twice
from coordinator.quarantine import Quarantine
from coordinator.recording import Recorder
from guard.domain.adherence import Adherence
from guard.domain.decision import Policy
from guard.domain.errors import (
    BadValue,
    HouseError,
    JobLost,
    KernelArcError,
    NotVerified,
    StorageFull,
    UnknownSubmission,
)
from guard.domain.problem import Problem
from guard.ports import DeviceIdentity, Referee
from guard.wire import BaselineOrder, BaselineReport
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Campaign, Job, JobState, Submission

MAX_ROUNDS = 5
"""Duels of one candidate when the champion changes each time; then the job is lost."""
RENEWALS = 3
"""Renewals of a claim within one lease, while a job of it is on the road."""

T = TypeVar("T")


class Pipeline:
    """The road on one device."""

    def __init__(
        self,
        board: Board,
        database: Database,
        referee: Referee,
        catalogue: Catalogue,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._board = board
        self._database = database
        self._device_kind = referee.device.kind
        self._catalogue = catalogue
        self._orders = Orders(referee, board.book)
        self._clock = clock
        self._starting: dict[tuple[str, str], asyncio.Task[Campaign]] = {}
        self._recorder = Recorder(board, database, clock)
        self.health = Health(board, database, self._orders, clock)

    @property
    def quarantine(self) -> Quarantine:
        """Whether its device may be judged on now."""
        return self._orders.quarantine

    async def ensure_campaign(
        self,
        problem: Problem,
        device: DeviceIdentity,
        policy: Policy,
        progress: Notify | None = None,
    ) -> Campaign:
        """The open campaign on this problem and device, started with its baseline if need be.

        One whose problem, hardware or Policy has changed ends when the new one starts: its figures
        say nothing about what comes now. Concurrent callers share one start, which goes on when a
        caller leaves.

        Raises:
            BadValue: the problem has no workloads for such a device.
        """
        if not problem.workloads_for(device.kind):
            reason = f"problem {problem.name!r} has no workloads for a {device.kind} device"
            raise BadValue("device", reason)
        key = (problem.name, device.name)
        starting = self._starting.get(key)
        if starting is None:
            starting = asyncio.create_task(self._start(problem, device, policy, progress))
            self._starting[key] = starting
            starting.add_done_callback(lambda _: self._starting.pop(key, None))
        return await asyncio.shield(starting)

    async def verify(self, job: Job, progress: Notify | None = None) -> None:
        """Carry out a verify job: compile, check every workload, see what it does, record.

        A language that only compiles on this device comes back with a verification that says
        so and has not passed, which counts as nothing. A cancelled job is recorded as cancelled.

        Raises:
            HouseError: the house failed twice; the job is marked lost.
        """
        submission, campaign = await self._handed_in(job)
        async with self._on_the_road(job, campaign) as open_:
            if not open_:
                return
            judged = await judge(self._orders, self._database, job, submission, campaign, progress)
            found = await asyncio.to_thread(self._adherence, submission, campaign, judged)
            await _written(
                lambda: self._board.record_verification(
                    submission.id,
                    job.id,
                    judged.verification,
                    self._clock(),
                    adherence=found,
                    same_as=judged.same_as,
                )
            )

    async def benchmark(self, job: Job, progress: Notify | None = None) -> None:
        """Carry out a benchmark job: duel with the champion, decide, record, watch the plateau.

        A cancelled job is recorded as cancelled.

        Raises:
            NotVerified: the submission has not passed; the job is marked lost.
            HouseError: the house failed twice; the job is marked lost.
        """
        submission, campaign = await self._handed_in(job)
        async with self._on_the_road(job, campaign) as open_:
            if not open_:
                return
            verification = submission.verification
            if verification is None or not verification.passed:
                raise NotVerified(submission.id, "it has not passed every workload")
            candidate = Candidate(
                job_id=job.id, submission=submission, campaign=campaign, verification=verification
            )
            await self._compete(candidate, progress)
        # The decision is on disk, and its agent need not wait for what the house asks of itself.
        self.health.look_after(campaign)

    async def close(self) -> None:
        """Stop what goes on beside the jobs."""
        await self.health.close()
        await self.quarantine.close()

    async def cancel(self, job_id: str, reason: str) -> bool:
        """Cancel a job, queued or on the road, and end its process tree; False: it had ended."""
        try:
            # First, so that the agent's reason is the one on the board.
            return await _written(lambda: self._board.cancel_job(job_id, reason, self._clock()))
        finally:
            await self._orders.cancel(job_id)

    # --- the steps ---------------------------------------------------------------------------

    async def _start(
        self,
        problem: Problem,
        device: DeviceIdentity,
        policy: Policy,
        progress: Notify | None,
    ) -> Campaign:
        found = await asyncio.to_thread(
            views.open_campaign, self._database, problem.name, device.name
        )
        if found is not None and found.continues(problem, device.kind, device.hardware, policy):
            return found
        order = BaselineOrder(job=f"baseline-{problem.name}", problem=problem, policy=policy)
        try:
            report = await self._orders.place(order, BaselineReport, progress)
        except Stopped as error:
            raise JobLost(order.job, "it was cancelled") from error
        if found is not None:
            outdated = found.id
            await _written(lambda: self._board.end_campaign(outdated))
        started = await _written(
            lambda: self._board.start_campaign(
                problem, device.name, device.hardware, policy, report.baseline
            )
        )
        await _written(lambda: self._board.book(started.id, order.job, order.type, report.spent))
        return started

    async def _handed_in(self, job: Job) -> tuple[Submission, Campaign]:
        submission = await asyncio.to_thread(views.submission, self._database, job.submission_id)
        if submission is None:
            raise UnknownSubmission(job.submission_id)
        campaign = await asyncio.to_thread(views.campaign, self._database, submission.campaign_id)
        return submission, campaign

    def _adherence(
        self, submission: Submission, campaign: Campaign, judged: Judged
    ) -> Adherence | None:
        if judged.same_as:
            return None
        seen = adherence.see(submission.solution, judged.verification.compiled)
        definition = campaign.problem.definition
        return adherence.judge(
            self._catalogue, submission.strategy, seen, definition, self._device_kind
        )

    async def _compete(self, candidate: Candidate, progress: Notify | None) -> None:
        """Duel until a decision stands: a new champion meanwhile means a new duel."""
        campaign, policy = candidate.campaign, candidate.campaign.policy
        meter = Meter(progress, planned=policy.max_pairs + policy.confirm_pairs)
        for _ in range(MAX_ROUNDS):
            terms = await self.health.terms(campaign, progress)
            champion = await asyncio.to_thread(views.champion, self._database, campaign.id)
            bout = Bout(
                job=candidate.job_id,
                problem=campaign.problem,
                policy=policy,
                candidate=candidate.solution,
                champion=champion.solution,
                screens=True,
            )
            fought = await contest.compete(
                self._orders, bout, candidate.verification, campaign.baseline, terms, meter
            )
            if await self._recorder.record(candidate, champion, fought):
                return
        raise JobLost(candidate.job_id, f"the champion changed during {MAX_ROUNDS} duels")

    # --- around every job --------------------------------------------------------------------

    @asynccontextmanager
    async def _on_the_road(self, job: Job, campaign: Campaign) -> AsyncIterator[bool]:
        """Start a job, keep its claim alive, and record how it ends unless it ends well.

        Gives False for a job that has ended already: there is nothing to do.
        """
        keeping = asyncio.create_task(self._keep_claim(job.claim_id, campaign.policy.lease_s))
        try:
            with self._orders.on_the_road(job.id, campaign.id):
                yield await self._begin(job)
        except Stopped:
            await self._end(lambda: self._board.cancel_job(job.id, "cancelled", self._clock()))
        except KernelArcError as error:
            reason = error.message
            await self._end(lambda: self._board.lose_job(job.id, reason, self._clock()))
            raise
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _begin(self, job: Job) -> bool:
        if await _written(lambda: self._board.start_job(job.id)):
            return True
        now = await asyncio.to_thread(views.job, self._database, job.id)
        return now is not None and now.state is JobState.RUNNING

    async def _keep_claim(self, claim_id: str, lease_s: float) -> None:
        """Renew the claim's lease while its job is on the road, queueing included."""
        while True:
            # A failed renewal is made good by the next; a full disk shows at the result.
            with suppress(HouseError):
                await asyncio.to_thread(self._renew, claim_id, lease_s)
            await asyncio.sleep(lease_s / RENEWALS)

    def _renew(self, claim_id: str, lease_s: float) -> None:
        self._board.renew(claim_id, lease_s=lease_s, now_s=self._clock())

    async def _end(self, write: Callable[[], bool]) -> None:
        # On a full disk the job stays open, and the next start of the server runs it again.
        with suppress(StorageFull):
            await _written(write)


async def _written(write: Callable[[], T]) -> T:
    """Write in a thread, since the board blocks; once more if the house failed."""
    return await twice(lambda: asyncio.to_thread(write))
