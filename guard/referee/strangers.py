"""Does somebody else use the device? Whoever does slows one side more than the other.

    before a duel: wait, a bounded time -> how many stayed, in the record of every process pair

Ours are the referee and everything below it: zygote, keepers, runners, spares. Start at `wait`.
Not here: a device that is busy when a block starts (`idle`), what is said (`guard.steadiness`).
"""

import os
import time

from guard.processes import family
from guard.referee.court import Court

PAUSE_S = 0.2


def count(court: Court) -> int | None:
    """How many processes not of ours use the device now; None: it cannot be told."""
    return court.device.strangers(court.identity, family(os.getpid()))


def wait(court: Court, limit_s: float) -> int | None:
    """Wait until nobody else uses the device, or the time is over; how many are left.

    Raises:
        OrderCancelled: the order was cancelled meanwhile.
    """
    ends_s = time.monotonic() + limit_s
    while (left := count(court)) and time.monotonic() < ends_s:
        court.step(0, 1, f"waiting for other processes to leave the device: {left}")
        time.sleep(PAUSE_S)
    return left


def most(*counts: int | None) -> int | None:
    """The most that was seen; None where it could never be told."""
    return max((seen for seen in counts if seen is not None), default=None)
