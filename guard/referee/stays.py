"""Where an order's time goes while the referee has it.

    arrived ─ wait ─> compile ─ wait ─> device ─> Spent

Start at `Stay`. Not here: the lanes themselves (`lanes`).
"""

import time
from collections.abc import Callable
from typing import Literal

from guard.domain.spent import Spent

Place = Literal["wait", "compile", "device"]


class Stay:
    """One order's way through the lanes; it is in one place at a time, from its arrival on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._place: Place = "wait"
        self._since_s = clock()
        self._spent = Spent()

    def at(self, place: Place) -> None:
        """It goes on to this place, or stays there."""
        now_s = self._clock()
        passed = Spent.model_validate({f"{self._place}_s": now_s - self._since_s})
        self._spent, self._since_s, self._place = self._spent + passed, now_s, place

    def spent(self) -> Spent:
        """Where its time has gone until now."""
        self.at(self._place)
        return self._spent
