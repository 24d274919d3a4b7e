"""Is the device at rest before the clock starts? A kernel goes on when its process is stopped.

Start at `check_idle`. Not here: processes that stir on the host (`runners`, `clock`).
"""

import time
from collections.abc import Sequence

from guard.domain.errors import DeviceUnhealthy
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed

WAIT_S = 1.0
"""How long the device may be busy, and how soon the work of an ended process is gone, seconds."""
PAUSE_S = 0.005


def check_idle(sides: Sequence[Side]) -> None:
    """Wait until the device is idle; all sides' processes are stopped.

    Where it stays busy, one side after the other is ended: whose end brings rest had work of its
    own there, a resident kernel above all.

    Raises:
        SideFailed: of that side.
        DeviceUnhealthy: it stays busy without any of them.
    """
    device = sides[0].device
    if _rests(sides[0]):
        return
    for side in sides:
        side.runner.end()
        if _rests(side):
            message = "its own work was still running on the device before the clock started"
            raise SideFailed(side, RunnerFailed("REWARD_HACK", message))
    raise DeviceUnhealthy(device.name, "another process keeps it busy")


def _rests(side: Side) -> bool:
    limit_s = time.monotonic() + WAIT_S
    while not side.device.is_idle():
        if time.monotonic() > limit_s:
            return False
        time.sleep(PAUSE_S)
    return True
