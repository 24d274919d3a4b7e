"""Which cores of the host compile, and which are left alone while something is timed.

Start at `shared_out`, a pure function. Not here: the affinity of runners (`guard.runner.main`), and
what happens where cores are too few (`quiet`).
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

import torch

TIMING_CORES = 2
"""That a timing uses: the one of the timed runner, and the one of the referee that waits for it."""
ROOMY_CORES = 4
"""Fewer cores than this cannot compile and time at once."""
MAX_BUILDERS = 32
"""Builders hold memory as well, and a referee has a limited number of user ids for runners."""


class Cores(NamedTuple):
    """How one referee uses the host's cores."""

    builders: int
    """Builders that may work at once."""
    building: tuple[int, ...]
    """The cores of builders; none named: any."""
    apart: bool
    """Whether builders and timing have cores of their own, so that both may work at once."""


def shared_out(cores: Sequence[int], referees: int) -> Cores:
    """One referee's share, of as many on this host; the last cores are left to timing."""
    referees = max(1, referees)
    timing = TIMING_CORES * referees
    building = tuple(cores[:-timing])
    if len(cores) < ROOMY_CORES or len(building) < referees:
        return Cores(builders=1, building=(), apart=False)
    return Cores(min(MAX_BUILDERS, len(building) // referees), building, apart=True)


def leave_last_core() -> int:
    """Leave the last core to the runner being timed; returns its number, or -1 on one core."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return -1
    os.sched_setaffinity(0, set(cores[:-1]))
    torch.set_num_threads(max(1, len(cores) - 1))
    return cores[-1]
