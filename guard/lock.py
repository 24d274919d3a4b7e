"""One process at a time may time on a device, across every server and command on the host.

Start at `exclusive`; `own_number` tells such processes apart. Not here: what is done meanwhile
(`guard.referee`).
"""

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from guard.domain.errors import DeviceBusy

POLL_S = 0.05


@contextmanager
def exclusive(device: str, *, wait_s: float, folder: Path | None = None) -> Iterator[None]:
    """Hold `device` for the length of the block.

    The operating system drops an flock when its holder dies, so a killed process never leaves
    the device locked. The descriptor is closed on exec and runners close it after their fork.

    Raises:
        DeviceBusy: another process kept it for `wait_s` seconds.
    """
    deadline = time.monotonic() + wait_s
    fd = _opened(_path(device, folder))
    try:
        while not _try_flock(fd):
            if time.monotonic() >= deadline:
                raise DeviceBusy(device, wait_s)
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


def own_number(name: str, count: int, *, folder: Path | None = None) -> tuple[int, int]:
    """A number below `count` that nobody else on the host holds, and the descriptor that holds it.

    It is free again when the descriptor is closed. Where all are held, the last one is shared.
    """
    for number in range(count):
        fd = _opened(_path(f"{name}-{number}", folder))
        if _try_flock(fd) or number == count - 1:
            break
        os.close(fd)
    return number, fd


def _path(name: str, folder: Path | None) -> Path:
    # One file for all users of the host, or two of them would hold the same at once.
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name)
    return (folder or Path(tempfile.gettempdir())) / f"kernelarc-{plain}.lock"


def _opened(path: Path) -> int:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    # Another user's file can be locked, but not written, nor opened with O_CREAT in /tmp.
    with suppress(FileNotFoundError):
        return os.open(path, flags)
    return os.open(path, flags | os.O_CREAT, 0o644)


def _try_flock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
