"""Open campaigns, and the measuring of their baselines, which no caller owns.

The first claim on a problem and device starts the campaign; measuring can take minutes, so it is
one server-owned task that any number of callers wait for.

Start at `Campaigns.enter`. Not here: how a baseline is found (`coordinator.pipeline`).
"""

import asyncio
import time
from collections.abc import Iterable

import structlog

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.wire import Progress
from memory import views
from memory.engine import Database
from memory.records import Campaign
from server.benches import Bench
from server.jobs import TELL_EVERY_S
from server.visit import Tell

_LOG = structlog.get_logger(__name__)
WAIT_S = 45.0
"""How long one call waits for a baseline; below the 60 s at which some clients give up."""


class Campaigns:
    """The campaigns of one server."""

    def __init__(self, database: Database, policy: Policy, *, wait_s: float = WAIT_S) -> None:
        self._database = database
        self._policy = policy
        self._wait_s = wait_s
        self._starting: dict[tuple[str, str], asyncio.Task[Campaign]] = {}
        self._said: dict[tuple[str, str], str] = {}

    async def enter(self, problem: Problem, bench: Bench, tell: Tell) -> Campaign | None:
        """The campaign that goes on here, started if need be; None while its baseline is measured.

        Raises:
            HouseError: the baseline could not be measured; the next call tries again.
        """
        key = (problem.name, bench.device.name)
        found = await asyncio.to_thread(views.open_campaign, self._database, *key)
        here = bench.device
        if found is not None and found.continues(problem, here.kind, here.hardware, self._policy):
            return found
        task = self._starting.get(key)
        if task is None:
            task = asyncio.ensure_future(self._start(problem, bench, key))
            self._starting[key] = task
            task.add_done_callback(lambda done: self._started(key, done))
        deadline = time.monotonic() + self._wait_s
        while not task.done() and (left := deadline - time.monotonic()) > 0:
            await asyncio.wait({task}, timeout=min(left, TELL_EVERY_S))
            await tell(f"measuring the baseline: {self._said.get(key, 'queued')}")
        return task.result() if task.done() else None

    async def places(self, problem: str, devices: Iterable[str]) -> frozenset[str]:
        """Those of these devices on which the problem has a campaign, or one that is starting."""
        found = await asyncio.to_thread(
            lambda: [d for d in devices if views.open_campaign(self._database, problem, d)]
        )
        return frozenset(found) | {device for name, device in self._starting if name == problem}

    async def _start(self, problem: Problem, bench: Bench, key: tuple[str, str]) -> Campaign:
        async def progress(update: Progress) -> None:
            self._said[key] = f"{update.message} ({update.done} of {update.total})"

        return await bench.pipeline.ensure_campaign(problem, bench.device, self._policy, progress)

    async def close(self) -> None:
        """End what is being measured; nothing was recorded yet."""
        tasks = list(self._starting.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _started(self, key: tuple[str, str], task: "asyncio.Task[Campaign]") -> None:
        self._starting.pop(key, None)
        self._said.pop(key, None)
        # Looked at even when every caller has left, or asyncio would complain that nobody did.
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("no baseline", problem=key[0], device=key[1], reason=str(error))
