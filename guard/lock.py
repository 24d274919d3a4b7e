"""One process at a time may time on a device, across every server and command on the host."""

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        while not _try_flock(fd):
            if time.monotonic() >= deadline:
                raise DeviceBusy(device, wait_s)
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


def _try_flock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
