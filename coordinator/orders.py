"""Orders to one referee: tried twice, stopped when their job is cancelled, on one progress scale.

    order ─> Referee.ask ─> the expected report | Stopped | an error of `guard.domain.errors`

A job places several orders, and its cancellation may fall between two of them, when the referee
knows nothing of the job. So the cancelled jobs that are still on the road are remembered here.
Nothing is ordered from a device in `quarantine`. What an order cost is booked once, when its report
comes, whatever the report says.

Start at `Orders.place`. Not here: which orders a job needs (`pipeline`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from coordinator.quarantine import Quarantine
from guard.domain.errors import (
    DeviceQuarantined,
    HouseError,
    KernelArcError,
    RefereeLost,
    StorageFull,
)
from guard.domain.spent import Answered, Spent
from guard.domain.value import Value
from guard.ports import Referee
from guard.wire import Cancelled, Order, Progress

Notify = Callable[[Progress], Awaitable[None]]
Book = Callable[[int, str, str, Spent], None]
"""Notes what an order cost: the campaign, the job, the order's type, the seconds. Blocks."""
Answer = TypeVar("Answer", bound=Value)
T = TypeVar("T")
STAGE = 100
"""Steps on the progress scale of a job per order."""


class Stopped(Exception):
    """The job was cancelled. Ends its road, and never leaves the coordinator."""


class Orders:
    """The orders of all jobs of one device."""

    def __init__(self, referee: Referee, book: Book | None = None) -> None:
        """`book`: where there is a board."""
        self._referee = referee
        self._book = book
        self.quarantine = Quarantine(referee)
        self._on_the_road: dict[str, int] = {}
        """The campaign of each job."""
        self._cancelled: set[str] = set()

    @contextmanager
    def on_the_road(self, job_id: str, campaign_id: int) -> Iterator[None]:
        """For the block: remember a cancellation of this job, and book its orders."""
        self._on_the_road[job_id] = campaign_id
        try:
            yield
        finally:
            self._on_the_road.pop(job_id, None)
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
        except KernelArcError as error:
            if isinstance(error, DeviceQuarantined):
                self.quarantine.begin(error)
            await self._booked(order, error.spent)
            raise
        if isinstance(report, Answered):
            await self._booked(order, report.spent)
        if isinstance(report, answer):
            return report
        if isinstance(report, Cancelled):
            raise Stopped(order.job)
        name = self._referee.device.name
        raise RefereeLost(name, f"it answered {report.type!r} to {order.type!r}")

    async def _booked(self, order: Order, spent: Spent) -> None:
        campaign_id, book = self._on_the_road.get(order.job), self._book
        if campaign_id is None or book is None or spent == Spent():
            return
        # What was measured must not be measured again because the disk is full.
        with suppress(StorageFull):
            await asyncio.to_thread(book, campaign_id, order.job, order.type, spent)


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
