"""What Linux tells of other processes: who made them, whether they stand still, what they used.

Start anywhere. Not here: starting, stopping or limiting a process (`sandbox`, `guard.referee`).
"""

import contextlib
import os
from typing import NamedTuple


class HostTime(NamedTuple):
    """Counted by the kernel for a runner and for the referee's thread that waits for it."""

    waited_ns: int
    """Ready to run, but the host ran others."""
    used_ns: int
    """Processor time of all the runner's threads."""
    last_pid: int = 0
    """The newest process or thread id on the host."""
    alone: bool = True
    """It is a single thread, so what it waited for was no work of its own."""


def parents() -> dict[int, int]:
    """Every process of the host with its parent."""
    found: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                found[int(entry)] = int(_stat(f"/proc/{entry}/stat")[1])
    return found


def family(pid: int) -> set[int]:
    """A process and everything below it."""
    above = parents()
    found = {pid}
    # Numbers wrap around, so a child may have a lower one than its parent.
    while below := {other for other, parent in above.items() if parent in found} - found:
        found |= below
    return found


def descendants(pid: int) -> list[int]:
    """The processes below a runner that are still there, orphans too; none once it is gone."""
    above = parents()
    if pid not in above:
        return []
    below = {pid}
    # Orphans are adopted by the runner itself, or, without a namespace, by its keeper.
    keeper = above[pid]
    found: list[int] = []
    for other in sorted(above):
        if other != pid and (above[other] in below or above[other] == keeper):
            below.add(other)
            found.append(other)
    return found


def newest() -> int:
    """The id given to the newest process or thread: while it stays, no process has begun."""
    with open("/proc/loadavg", "rb", 0) as file:
        return int(file.read(256).split()[-1])


def stands_still(pid: int) -> bool:
    """Whether every thread of a process is stopped or gone.

    Raises:
        OSError: there is no such process.
    """
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if _stat(f"/proc/{pid}/task/{thread}/stat")[0] not in (b"T", b"Z", b"X"):
                return False
    return True


def cpu_clock(pid: int) -> int:
    """The clock of a process's used time, all its threads ever: Linux's encoding of clock ids."""
    return (~pid << 3) | 2


def _stat(path: str) -> list[bytes]:
    """The fields behind the command's name: state, parent, ...

    Read many times in a duel, so without the convenience that costs most of it.
    """
    with open(path, "rb", 0) as file:
        return file.read(1024).rpartition(b")")[2].split()
