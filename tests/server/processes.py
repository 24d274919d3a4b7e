"""Servers as real processes, as a user starts them."""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.engine import read_holder

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 20


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """One command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def server(db: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A serving process and its URL."""
    command = [sys.executable, "-m", "server", "--db", db, "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE)
    try:
        yield process, holder_of(db)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_S)


def holder_of(db: str) -> str:
    """Wait until a server holds the database, and give its URL."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if url := read_holder(db):
            return url
        time.sleep(0.02)
    raise AssertionError(f"nobody serves {db}")


def health(url: str) -> dict[str, object]:
    """What the health page says once the server is ready."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            with urllib.request.urlopen(url.removesuffix("/mcp") + "/healthz", timeout=5) as page:
                return dict(json.load(page))
        except urllib.error.HTTPError as error:
            error.close()
            assert error.code == 503 and time.monotonic() < deadline
            time.sleep(0.02)
