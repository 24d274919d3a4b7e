"""Whether the processes of a running server grow: memory and open descriptors, look after look.

    process id of the server -> Look, Look, … -> what grew by more than noise

Start at `look`, then `grown`. Not here: processes that stay behind (`fault_soak`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import psutil

from guard.referee.spares import SPARES

GROWTH_BYTES = 24 * 2**20
"""More than the caches of one process still grow by once they are warm."""
GROWTH_FDS = 4 + 3 * SPARES
"""A runner that waits for a candidate holds three in its referee, and a busy host refills late."""
ROLES = ("server", "referee")
_REFEREE = "guard.referee.main"


class Held(NamedTuple):
    """What one process holds."""

    resident_bytes: int
    descriptors: int


Look = Mapping[str, Held]
"""By role."""


def look(server_pid: int) -> Look:
    """What the server and its referee hold now."""
    server = psutil.Process(server_pid)
    found = {"server": Held(server.memory_info().rss, server.num_fds())}
    for child in server.children():
        if _REFEREE in child.cmdline():
            found["referee"] = Held(child.memory_info().rss, child.num_fds())
    return found


def grown(looks: Sequence[Look]) -> list[str]:
    """What grew by more than noise once the run was warm: after a quarter of the looks."""
    found = []
    warm = looks[len(looks) // 4 :]
    for role in ROLES:
        bytes_, fds = ([one[role][i] for one in warm] for i in (0, 1))
        # A median of the last looks: one of them may fall into an allocation that goes again.
        if sorted(bytes_[-3:])[len(bytes_[-3:]) // 2] - bytes_[0] > GROWTH_BYTES:
            found.append(f"{role}: {(bytes_[-1] - bytes_[0]) / 2**20:.1f} MiB")
        if min(fds[-3:]) - fds[0] > GROWTH_FDS:
            found.append(f"{role}: {fds[-1] - fds[0]} descriptors")
    return found
