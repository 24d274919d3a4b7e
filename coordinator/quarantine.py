"""A device that failed its canary: nothing is ordered from it until it has passed one.

    begin (an order said `DeviceQuarantined`) -> check refuses; look, pause, look … -> check lets in

The device is tried again by itself, with pauses that grow, so that nobody has to ask for it. State
of one server, never stored: a server that starts anew learns it by the first failure.

Start at `Quarantine.check`. Not here: the canary itself (`guard.referee.canary`).
"""

import asyncio
from contextlib import suppress

import structlog

from guard.domain.errors import DeviceQuarantined, KernelArcError
from guard.ports import Referee
from guard.wire import DoctorOrder, DoctorReport

PAUSES_S = (2.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0)
"""Before each further look; the last one again and again."""
LOOK_S = 180.0
"""A referee that does not answer for so long is taken to hang with its device."""
CLOSE_S = 15.0
_LOG = structlog.get_logger(__name__)


class Quarantine:
    """Whether one device may be ordered from."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._error: DeviceQuarantined | None = None
        self._looking: asyncio.Task[None] | None = None

    @property
    def reason(self) -> str:
        """Why nothing is judged there, in one sentence; empty while it is healthy."""
        return self._error.message if self._error is not None else ""

    def check(self) -> None:
        """Let through what a healthy device is asked.

        Raises:
            DeviceQuarantined: its canary failed, and none has passed since.
        """
        if self._error is not None:
            raise self._error.with_traceback(None)

    def begin(self, error: DeviceQuarantined) -> None:
        """Refuse everything from now on, and begin to look for the end of it."""
        if self._error is None:
            _LOG.error("device quarantined", device=self._referee.device.name, reason=str(error))
        self._error = error
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._until_healthy(), name="look at a device")

    async def close(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    async def _until_healthy(self) -> None:
        pauses_s = iter(PAUSES_S)
        pause_s = 0.0
        while self._error is not None:
            pause_s = next(pauses_s, pause_s)
            self._error.retry_after_s = pause_s
            await asyncio.sleep(pause_s)
            self._error = await self._look()
        _LOG.info("device healthy again", device=self._referee.device.name)

    async def _look(self) -> DeviceQuarantined | None:
        """Ask for a canary; None when it passed."""
        name = self._referee.device.name
        try:
            report = await asyncio.wait_for(self._referee.ask(DoctorOrder(job="canary")), LOOK_S)
        except TimeoutError:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._referee.close(), CLOSE_S)
            return DeviceQuarantined(name, f"its referee said nothing for {LOOK_S:.0f} s")
        except (KernelArcError, OSError) as error:
            # No process could be started, or it was lost: asked again after the next pause.
            return DeviceQuarantined(name, str(error))
        if isinstance(report, DoctorReport) and not report.canary:
            return None
        return DeviceQuarantined(name, getattr(report, "canary", "it was not asked"))
