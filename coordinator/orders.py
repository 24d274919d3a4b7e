"""Orders to one referee: tried twice, stopped when their job is cancelled, on one progress scale.

    order ─> Referee.ask ─> the expected report | Stopped | an error of `guard.domain.errors`

A job places several orders, and its cancellation may fall between two of them, when the referee
knows nothing of the job. So the cancelled jobs that are still on the road are remembered here.
Nothing is ordered from a device in `quarantine`.

Start at `Orders.place`. Not here: which orders a job needs (`pipeline`).
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from coordinator.quarantine import Quarantine
from guard.domain.errors import DeviceQuarantined, HouseError, RefereeLost
from guard.domain.value import Value
from guard.ports import Referee
from guard.wire import Cancelled, Order, Progress

Notify = Callable[[Progress], Awaitable[None]]
Answer = TypeVar("Answer", bound=Value)
T = TypeVar("T")
STAGE = 100
"""Steps on the progress scale of a job per order."""


class Stopped(Exception):
    """The job was cancelled. Ends its road, and never leaves the coordinator."""


class Orders:
    """The orders of all jobs of one device."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self.quarantine = Quarantine(referee)
        self._on_the_road: set[str] = set()
        self._cancelled: set[str] = set()

    @contextmanager
    def on_the_road(self, job_id: str) -> Iterator[None]:
        """Remember a cancellation of this job for the length of the block."""
        self._on_the_road.add(job_id)
        try:
            yield
        finally:
            self._on_the_road.discard(job_id)
            self._cancelled.discard(job_id)

    async def cancel(self, job_id: str) -> None:
        """Stop a job: its present order with its process tree, and any order it would place."""
        if job_id in self._on_the_road:
            self._cancelled.add(job_id)
        await self._referee.cancel(job_id)

    async def place(
        self, order: Order, answer: type[Answer], notify: Notify | None = None
    ) -> Answer:
        """Have an order carried out; a failure of the house is tried once more.

        Raises:
            Stopped: the job was cancelled.
            HouseError: it failed twice.
            CallerError: the referee refused the order; not tried again.
        """
        return await twice(lambda: self._place_once(order, answer, notify))

    async def _place_once(
        self, order: Order, answer: type[Answer], notify: Notify | None
    ) -> Answer:
        if order.job in self._cancelled:
            raise Stopped(order.job)
        self.quarantine.check()
        try:
            report = await self._referee.ask(order, notify)
        except DeviceQuarantined as error:
            self.quarantine.begin(error)
            raise
        if isinstance(report, answer):
            return report
        if isinstance(report, Cancelled):
            raise Stopped(order.job)
        name = self._referee.device.name
        raise RefereeLost(name, f"it answered {report.type!r} to {order.type!r}")


async def twice(step: Callable[[], Awaitable[T]]) -> T:
    """Take a step, and once more if the house failed."""
    try:
        return await step()
    except HouseError:
        return await step()


class Meter:
    """One progress scale for all orders of a job: each order is a stage of equal length."""

    def __init__(self, notify: Notify | None, planned: int) -> None:
        self._notify = notify
        self._planned = planned
        self._begun = 0

    def next_stage(self) -> Notify | None:
        """The callback for the next order; what it tells never runs backward."""
        stage, notify = self._begun, self._notify
        self._begun += 1
        if notify is None:
            return None
        total = STAGE * max(self._planned, self._begun)

        async def tell(progress: Progress) -> None:
            part = min(STAGE * progress.done // max(progress.total, 1), STAGE)
            update = {"done": STAGE * stage + part, "total": total}
            await notify(progress.model_copy(update=update))

        return tell
