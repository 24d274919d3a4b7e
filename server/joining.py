"""Find the server that holds a database, or start one that outlives its caller.

The lock beside the database says who holds it, so two callers that start one at the same time end
up at the same server: the loser's cannot take the lock, and both join the winner's.

Start at `join`. Not here: what is said to the server then (`stdio`).
"""

import subprocess
import sys
import time
from pathlib import Path

from guard.domain.errors import HouseError
from memory.engine import read_holder
from server.settings import Settings

START_S = 30.0
POLL_S = 0.05
_SQLITE = "sqlite:///"


def join(settings: Settings) -> str:
    """The URL of the server that holds the database.

    Raises:
        HouseError: none could be started.
    """
    url = read_holder(settings.db)
    if url:
        return url
    started = None if url is not None else _start(settings)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if url := read_holder(settings.db):
            return url
        if started is not None and started.poll() is not None and read_holder(settings.db) is None:
            break
        time.sleep(POLL_S)
    raise HouseError(
        f"No server could be started on {settings.db}. {_last_words(settings)}".strip(),
        hint="Run `kernelarc serve` by hand to see why.",
    )


def _start(settings: Settings) -> subprocess.Popen[bytes]:
    """Start a server of its own session, on any free port: it stays when its starter goes."""
    command = [sys.executable, "-m", "server", "serve", "--port", "0"]
    command += ["--db", _absolute(settings.db), "--device", settings.device]
    command += ["--problems", str(settings.problems.resolve())]
    if settings.policy is not None:
        command += ["--policy", str(settings.policy.resolve())]
    log = _log(settings)
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with log.open("ab") as errors:
        return subprocess.Popen(
            command,
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


def _absolute(url: str) -> str:
    # The new server runs in another folder, where a relative path would name another file.
    return _SQLITE + str(_file(url)) if url.startswith(_SQLITE) else url


def _file(url: str) -> Path:
    return Path(url.removeprefix(_SQLITE)).absolute()


def _log(settings: Settings) -> Path:
    if settings.db.startswith(_SQLITE):
        file = _file(settings.db)
        return file.with_name(file.name + ".server.log")
    return Path.cwd() / "kernelarc.server.log"


def _last_words(settings: Settings) -> str:
    lines = _log(settings).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""
