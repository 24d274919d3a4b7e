"""Jobs: work that the server owns, so no client can lose it by going away.

A job's row is durable before anyone is told of it. Here each open row has one asyncio task, which
calls the pipeline; callers only wait for it. A dropped caller ends its own waiting and nothing
else; `cancel` ends the work, and a restart begins it again.

    row queued ─begin─> task ─pipeline─> row done          close: row stays open ─resume─> task

Start at `begin`, then `resume`. Not here: what a job does (`coordinator.pipeline`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import structlog

from guard.domain.errors import KernelArcError
from guard.wire import Progress
from memory import views
from memory.board import Board
from memory.engine import Database
from memory.records import Job, JobState
from server.metrics import Metrics
from server.visit import Tell

MAX_ATTEMPTS = 2
TELL_EVERY_S = 5.0
STOP_WAIT_S = 10.0
_LOG = structlog.get_logger(__name__)

Run = Callable[[Job, Callable[[Progress], Awaitable[None]]], Awaitable[None]]
"""Carries out one job and records what came of it."""
Stop = Callable[[Job, str], Awaitable[bool]]
"""Records that a job is cancelled and ends its processes; False: it had ended already."""


class Jobs:
    """The open jobs of one server, one task each."""

    def __init__(
        self, *, database: Database, board: Board, run: Run, stop: Stop, metrics: Metrics
    ) -> None:
        self._database = database
        self._board = board
        self._run = run
        self._stop = stop
        self._metrics = metrics
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._said: dict[str, str] = {}

    @property
    def running(self) -> int:
        """Jobs with a task."""
        return len(self._tasks)

    def begin(self, job: Job) -> None:
        """Give an open job its task; harmless when it has one or has ended."""
        if job.id in self._tasks or job.state not in (JobState.QUEUED, JobState.RUNNING):
            return
        task = asyncio.create_task(self._own(job), name=f"job {job.id}")
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._forget(job.id))

    async def resume(self) -> None:
        """Take up what a stopped server left: run it again, or say that it is lost and why."""
        for job in await asyncio.to_thread(views.open_jobs, self._database):
            if job.attempts >= MAX_ATTEMPTS:
                reason = f"the server stopped {job.attempts} times while it was running"
                await asyncio.to_thread(self._board.lose_job, job.id, reason, time.time())
                _LOG.warning("job lost", job=job.id, reason=reason)
                continue
            if job.state is JobState.RUNNING:
                await asyncio.to_thread(
                    self._board.requeue, job.id, "the server stopped while it was running"
                )
            fresh = await asyncio.to_thread(views.job, self._database, job.id)
            if fresh is not None:
                self.begin(fresh)

    async def wait(self, job_ids: Sequence[str], wait_s: float, tell: Tell) -> None:
        """Return when all these jobs have ended or the time is over; tells every 5 seconds."""
        deadline = time.monotonic() + wait_s
        while tasks := [t for id_ in job_ids if (t := self._tasks.get(id_)) and not t.done()]:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            # `asyncio.wait` never cancels what it waits for: a caller may leave at any time.
            await asyncio.wait(tasks, timeout=min(left, TELL_EVERY_S))
            await tell("; ".join(filter(None, map(self.said, job_ids))) or "finished")

    def said(self, job_id: str) -> str:
        """How far the job is, in one sentence; empty when it has no task."""
        return self._said.get(job_id, "queued") if job_id in self._tasks else ""

    async def cancel(self, job: Job) -> bool:
        """End a job with its process tree; False when it had ended already."""
        if not await self._stop(job, "cancelled by its agent"):
            return False
        self._metrics.jobs[JobState.CANCELLED.value] += 1
        if (task := self._tasks.get(job.id)) is not None:
            _, pending = await asyncio.wait({task}, timeout=STOP_WAIT_S)
            for late in pending:
                late.cancel()
        return True

    async def close(self) -> None:
        """End the tasks; their rows stay open and are taken up by the next server."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _own(self, job: Job) -> None:
        async def progress(update: Progress) -> None:
            self._said[job.id] = f"{update.message} ({update.done} of {update.total})"

        work = asyncio.ensure_future(self._run(job, progress))
        try:
            # Waited for, not awaited: how it ended is looked at, whatever it was.
            await asyncio.wait({work})
        finally:
            work.cancel()
        await self._ended(job, None if work.cancelled() else work.exception())

    async def _ended(self, job: Job, error: BaseException | None) -> None:
        if error is None:
            self._metrics.jobs[JobState.DONE.value] += 1
            return
        reason = error.message if isinstance(error, KernelArcError) else "an unforeseen failure"
        _LOG.error("job lost", job=job.id, reason=reason, exc_info=error)
        self._metrics.jobs[JobState.LOST.value] += 1
        # The pipeline has done so already, unless the failure was one that it did not foresee.
        await asyncio.to_thread(self._board.lose_job, job.id, reason, time.time())

    def _forget(self, job_id: str) -> None:
        self._tasks.pop(job_id, None)
        self._said.pop(job_id, None)
