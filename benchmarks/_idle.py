"""An executor whose referees never answer: what a server does until a referee has its order.

Start at `IdleExecutor`. Not here: real referees (`guard.executors.local`).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from guard.ports import DeviceIdentity, Referee
from guard.wire import Cancelled, Order, Progress, Report


class IdleReferee:
    """Keeps every order until it is cancelled."""

    def __init__(self, device: DeviceIdentity) -> None:
        self.device = device
        self._kept: dict[str, asyncio.Event] = {}
        self._came = asyncio.Condition()

    async def ask(
        self, order: Order, progress: Callable[[Progress], Awaitable[None]] | None = None
    ) -> Report:
        """Keep it."""
        cancelled = self._kept[order.job] = asyncio.Event()
        async with self._came:
            self._came.notify_all()
        await cancelled.wait()
        return Cancelled(job=order.job)

    async def has(self, job: str) -> None:
        """Wait until the order of this job has come."""
        async with self._came:
            await self._came.wait_for(lambda: job in self._kept)

    async def cancel(self, job: str) -> None:
        """Let go of it."""
        if job in self._kept:
            self._kept[job].set()

    def load(self) -> Mapping[tuple[str, str], int]:
        """Nothing that would count."""
        return Counter()

    async def close(self) -> None:
        """Let go of everything."""
        for cancelled in self._kept.values():
            cancelled.set()


class IdleExecutor:
    """Opens such referees."""

    name = "local"

    def __init__(self) -> None:
        self.opened: list[IdleReferee] = []

    def unavailable(self) -> str | None:
        """Always available."""
        return None

    def open(
        self, device: DeviceIdentity, environment: Mapping[str, str] = MappingProxyType({})
    ) -> Referee:
        """One for this device."""
        self.opened.append(IdleReferee(device))
        return self.opened[-1]
