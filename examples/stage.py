"""Start and stop what a run needs: a server on loopback and the agents of a team.

Every process started here is ended here, also when the run fails. Nothing here knows what the
agents do.

Start at `Server` and `Team`. Not here: what is shown meanwhile (`progress`), the runs themselves
(`demo`, `kill_drill`).
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
START_LIMIT_S = 60.0
STOP_LIMIT_S = 30.0
POLL_S = 0.1


class NotServing(Exception):
    """The server ended or did not answer in time; its log says why."""


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def database_url(given: str) -> str:
    """A path as an SQLite URL; a URL as it is."""
    return given if "://" in given else f"sqlite:///{Path(given).absolute()}"


def has_nvidia_gpu() -> bool:
    """Whether the driver lists a GPU."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return False
    listed = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False, timeout=60)
    return listed.returncode == 0 and "GPU 0" in listed.stdout


class Server:
    """A server process on a database; may be killed and started again on the same port."""

    def __init__(self, db: str, log: Path, *, device: str = "auto", port: int = 0) -> None:
        self.db = database_url(db)
        self.port = port or free_port()
        self.url = f"http://{HOST}:{self.port}/mcp"
        self._log = log
        self._device = device
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            NotServing: it ended, or stayed silent for too long.
        """
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self.command(), cwd=ROOT, stdout=log, stderr=log)
        deadline = time.monotonic() + START_LIMIT_S
        while not self.healthy:
            if self._process.poll() is not None:
                raise NotServing(f"the server ended with {self._process.returncode}: {self._log}")
            if time.monotonic() > deadline:
                self.kill()
                raise NotServing(f"no answer on port {self.port}: {self._log}")
            time.sleep(POLL_S)

    def command(self) -> list[str]:
        """How its process is started."""
        return [
            sys.executable, "-m", "server", "serve", "--host", HOST, "--port", str(self.port),
            "--db", self.db, "--device", self._device,
        ]  # fmt: skip

    @property
    def healthy(self) -> bool:
        """Whether it answers now."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.port}/healthz", timeout=5) as answer:
                return int(answer.status) == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    @property
    def pid(self) -> int:
        """Of the process last started; 0 before the first start."""
        return self._process.pid if self._process is not None else 0

    def kill(self) -> None:
        """End it as a power cut would: nothing is asked, nothing is tidied."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def stop(self) -> None:
        """Ask it to stop; kill it when it does not."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill()


class Team:
    """The agents of one plan, a process each."""

    def __init__(
        self, url: str, problem: str, device: str, agents: int, log: Path, seconds: float
    ) -> None:
        self._processes = []
        log.mkdir(parents=True, exist_ok=True)
        for seat in range(agents):
            command = [
                sys.executable, "-m", "examples.team", "--url", url, "--problem", problem,
                "--device", device, "--seat", str(seat), "--log", str(log),
                "--seconds", str(seconds),
            ]  # fmt: skip
            with (log / f"seat-{seat}.err").open("ab") as errors:
                self._processes.append(
                    subprocess.Popen(
                        command, cwd=ROOT, stdout=errors, stderr=errors, env=_environment()
                    )
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
        for process in self._processes:
            process.wait()

    @property
    def working(self) -> bool:
        """Whether an agent is still at work."""
        return any(process.poll() is None for process in self._processes)

    @property
    def failed(self) -> bool:
        """Whether an agent ended otherwise than by itself."""
        return any(process.poll() not in (None, 0) for process in self._processes)


def _environment() -> dict[str, str]:
    # A proxy of the host must not come between the agents and loopback.
    return {**os.environ, "NO_PROXY": f"{HOST},localhost", "no_proxy": f"{HOST},localhost"}
