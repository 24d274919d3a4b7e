"""Referees as child processes of the server on this host.

The server's event loop never waits for one: orders and reports are frames on a socket pair. A
referee that ends in the middle of an order is reported as lost and started again on the next.
"""

import asyncio
import contextlib
import os
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from guard.domain.errors import KernelArcError, RefereeLost
from guard.ports import DeviceIdentity
from guard.sandbox import INCLUDE, PYTHON
from guard.wire import (
    HEADER,
    REPORTS,
    CancelOrder,
    Order,
    PeerBabbles,
    Progress,
    Report,
    Trouble,
    VerifyOrder,
    encode,
    parse,
)

Listener = Callable[[Progress], Awaitable[None]]
MAX_FRAME_BYTES = 64 * 2**20


class LocalReferee:
    """The server's end of one device's referee; `program` is the module that is its process."""

    def __init__(
        self,
        device: DeviceIdentity,
        program: str = "guard.referee.main",
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.device = device
        self._given = environment
        self._program = program
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[str, tuple[asyncio.Future[Report], Listener | None]] = {}
        self._places: dict[str, tuple[str, str]] = {}
        """Lane and state of each open order, as the referee told last."""
        self._starting = asyncio.Lock()
        self._telling: set[asyncio.Task[None]] = set()

    async def ask(self, order: Order, progress: Listener | None = None) -> Report:
        """Carry out one order; orders queue in the referee, one at a time is on the device.

        Raises:
            RefereeLost: the process ended; the next `ask` starts a new one.
            KernelArcError: the trouble that the referee reports, as its own class.
        """
        # From now on it counts: the process may take seconds to start.
        lane = "compile" if isinstance(order, VerifyOrder) else "device"
        self._places[order.job] = (lane, "waiting")
        try:
            return await self._answered(order, progress)
        finally:
            self._places.pop(order.job, None)

    async def _answered(self, order: Order, progress: Listener | None) -> Report:
        writer = await self._started()
        answer: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self._waiting[order.job] = (answer, progress)
        try:
            writer.write(encode(order))
            await writer.drain()
            report = await answer
        except ConnectionError as error:
            raise RefereeLost(self.device.name, "it ended") from error
        finally:
            self._waiting.pop(order.job, None)
        if isinstance(report, Trouble):
            raise revived(report)
        return report

    async def cancel(self, job: str) -> None:
        """End the order of this job, queued or running, with its process tree."""
        if self._writer is not None and job in self._waiting:
            self._writer.write(encode(CancelOrder(job=job)))
            with contextlib.suppress(ConnectionError):
                await self._writer.drain()

    def load(self) -> Mapping[tuple[str, str], int]:
        """Open orders by lane (`compile`, `device`) and state (`waiting`, `running`)."""
        return Counter(self._places.values())

    async def close(self) -> None:
        """End the process and everything below it."""
        if self._writer is not None:
            self._writer.close()
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), 5)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        if self._reader is not None:
            await self._reader

    async def _started(self) -> asyncio.StreamWriter:
        async with self._starting:
            alive = self._process is not None and self._process.returncode is None
            if not alive or self._writer is None or self._writer.is_closing():
                ours, theirs = socket.socketpair()
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", self._program, str(theirs.fileno()),
                    self.device.kind, self.device.name,
                    pass_fds=(theirs.fileno(),), stdin=asyncio.subprocess.DEVNULL,
                    env=self._environment(),
                )  # fmt: skip
                theirs.close()
                reader, self._writer = await asyncio.open_connection(sock=ours)
                self._reader = asyncio.create_task(self._listen(reader, self._writer))
            return self._writer

    def _environment(self) -> dict[str, str]:
        root = str(Path(__file__).resolve().parents[2])
        path = [root, *filter(None, [os.environ.get("PYTHONPATH", "")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        for name in ("KERNELARC_TOKEN", INCLUDE, PYTHON):
            environment.pop(name, None)
        environment |= self._given
        # A referee sees its own GPU alone; that of a CPU none, or Triton would not interpret.
        environment["CUDA_VISIBLE_DEVICES"] = self.device.facts.get("uuid", "")
        return environment

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reason = "it ended"
        try:
            while True:
                text_bytes, blob_bytes = HEADER.unpack(await reader.readexactly(HEADER.size))
                if text_bytes + blob_bytes > MAX_FRAME_BYTES:
                    reason = "it sent a frame beyond any limit"
                    break
                report = parse(REPORTS, await reader.readexactly(text_bytes))
                await self._deliver(report)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except PeerBabbles as error:
            reason = f"it sent something that is no report: {error}"
        finally:
            # Whatever ended this loop, nobody may wait for ever.
            writer.close()
            for answer, _ in self._waiting.values():
                if not answer.done():
                    answer.set_exception(RefereeLost(self.device.name, reason))

    async def _deliver(self, report: Report) -> None:
        answer, listener = self._waiting.get(report.job, (None, None))
        if isinstance(report, Progress):
            if report.job in self._places:
                state = "waiting" if report.waiting else "running"
                self._places[report.job] = (report.lane, state)
            if listener is not None:
                # In a task of its own: a listener that is slow or fails must not stop reports.
                telling = asyncio.create_task(_told(listener, report))
                self._telling.add(telling)
                telling.add_done_callback(self._telling.discard)
        elif answer is not None and not answer.done():
            answer.set_result(report)


class Local:
    """Referees on this host."""

    name = "local"

    def unavailable(self) -> str | None:
        """Always there."""
        return None

    def open(
        self, device: DeviceIdentity, environment: Mapping[str, str] = MappingProxyType({})
    ) -> LocalReferee:
        """A referee for this device; its process starts on the first order."""
        return LocalReferee(device, environment=environment)


async def _told(listener: Listener, progress: Progress) -> None:
    await listener(progress)


def revived(trouble: Trouble) -> KernelArcError:
    """The error that the referee named, as its own class."""
    known = {cls.__name__: cls for cls in _below(KernelArcError)}
    name = "".join(part.capitalize() for part in trouble.code.split("_"))
    error = known.get(name, RefereeLost)
    revived_error = error.__new__(error)
    KernelArcError.__init__(revived_error, trouble.message)
    revived_error.spent = trouble.spent
    return revived_error


def _below(cls: type[KernelArcError]) -> list[type[KernelArcError]]:
    return [c for child in cls.__subclasses__() for c in (child, *_below(child))]


EXECUTOR = Local()
