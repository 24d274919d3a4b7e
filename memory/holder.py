"""Who holds a database: one server at a time, by a lock on a file beside it.

The operating system drops an flock when its holder dies, so a killed server never leaves the
database locked, and the lock file is never deleted. What the file says about the holder is for
people and joining clients only; whether there is a holder, the lock alone tells.

Start at `hold`. Not here: the database itself (`engine`).
"""

import fcntl
import os
import time
from pathlib import Path

from guard.domain.errors import DatabaseHeld

WAIT_S = 0.5
"""How long `hold` tries: a reader's look takes the lock for an instant, too."""
POLL_S = 0.02

_held: set[int] = set()


class Holder:
    """The lock of one database, from `hold` to `release`."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        _held.add(handle)
        self.note("")

    def note(self, text: str) -> None:
        """Tell others how to reach the holder, such as a server's URL. One line."""
        said = f"pid {os.getpid()}\n{text}\n".encode()
        # Written over in place before it is cut: a reader may see old text, never an empty file.
        os.pwrite(self._handle, said, 0)
        os.ftruncate(self._handle, len(said))

    def release(self) -> None:
        """Drop the lock. Twice is harmless."""
        if self._handle in _held:
            _held.discard(self._handle)
            os.close(self._handle)


def hold(path: Path, database: str) -> Holder:
    """Take the lock file of a database.

    Raises:
        DatabaseHeld: another process has it.
    """
    # Close-on-exec is Python's default for descriptors; `_close_in_child` covers a plain fork.
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + WAIT_S
    while not _locked(handle, fcntl.LOCK_EX):
        if time.monotonic() >= deadline:
            said = ", ".join(filter(None, _read(handle)))
            os.close(handle)
            raise DatabaseHeld(database, said)
        time.sleep(POLL_S)
    return Holder(handle)


def noted(path: Path) -> str | None:
    """What the holder noted: None when nobody holds it, empty when it noted nothing yet."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if _locked(handle, fcntl.LOCK_SH) else _read(handle)[1]
    finally:
        os.close(handle)


def _locked(handle: int, mode: int) -> bool:
    try:
        fcntl.flock(handle, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(handle: int) -> tuple[str, str]:
    process, _, rest = os.pread(handle, 4096, 0).decode(errors="replace").partition("\n")
    return process, rest.partition("\n")[0]


def _close_in_child() -> None:
    # A forked child shares the lock: were it to outlive us, the database would stay held.
    for handle in _held:
        os.close(handle)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)
