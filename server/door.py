"""The door of the house: open while the house itself is still being built.

The protocol answers `tools/list` at once; whatever needs the board waits here. So this module
imports nothing heavy, and neither does anything that it imports.

Start at `Door.enter`. Not here: what is built (`bootstrap`), what is in it (`house`).
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.house import House


HEAD_START_S = 0.05


class Door:
    """Builds the house once, in a thread, and lets callers in when it stands."""

    def __init__(self, build: "Callable[[], House]") -> None:
        self._build = build
        self._opening: asyncio.Task[House] | None = None
        self.failure: BaseException | None = None
        """Why the house could not be built, when it could not."""

    @property
    def house(self) -> "House | None":
        """The house, once it stands."""
        task = self._opening
        if task is None or not task.done() or task.cancelled() or task.exception():
            return None
        return task.result()

    def open(self, failed: Callable[[], None]) -> None:
        """Begin to build; `failed` is called when that ends in an error."""
        self._opening = asyncio.create_task(self._raise_house(), name="open the house")

        def report(task: "asyncio.Task[House]") -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self.failure = error
                failed()

        self._opening.add_done_callback(report)

    async def enter(self) -> "House":
        """Wait until the house stands."""
        if self._opening is None:
            raise RuntimeError("the door was never opened")
        # Shielded: a caller that goes away must not stop the building.
        return await asyncio.shield(self._opening)

    async def close(self) -> None:
        """Leave the house tidy: jobs stopped, referees ended, database closed."""
        if self._opening is None:
            return
        await asyncio.wait({self._opening})
        if (house := self.house) is not None:
            await house.close()

    async def _raise_house(self) -> "House":
        # Importing in a thread holds the interpreter: who asked first is answered first.
        await asyncio.sleep(HEAD_START_S)
        house = await asyncio.to_thread(self._build)
        await house.resume()
        return house
