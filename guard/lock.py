"""One process at a time may time on a device, across every server and command on the host.

Start at `exclusive`. Not here: what is done meanwhile (`guard.referee`).
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
    name = re.sub(r"[^A-Za-z0-9]+", "-", device)
    # One file for all users of the host, or two of them would time at once.
    path = (folder or Path(tempfile.gettempdir())) / f"kernelarc-{name}.lock"
    deadline = time.monotonic() + wait_s
    fd = _opened(path)
    try:
        while not _try_flock(fd):
            if time.monotonic() >= deadline:
                raise DeviceBusy(device, wait_s)
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


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
