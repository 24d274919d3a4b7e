"""The referee's hold on its runners: starting, asking with a deadline, freezing, ending.

A `Runner` here is the trusted side's handle of one untrusted process. Everything read from it is
bounded and validated; a runner that dies is noticed at once, by its socket closing, not by a
time limit. Start at `Zygote.spawn`.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guard import sandbox
from guard.asks import ANSWERS, Done, Raised, Ready, Spawn
from guard.domain.decision import Policy
from guard.domain.errors import RefereeLost
from guard.domain.value import Value
from guard.wire import PeerBabbles, PeerGone, PeerSilent, encode, parse, receive, send

FIRST_UID = 61_000
UIDS = 4_000
START_LIMIT_S = 120.0
END_LIMIT_S = 10.0
# A process that closed its socket because it died has its status line within this time.
DYING_S = 2.0
OUTPUT_TAIL_BYTES = 2_000


class RunnerFailed(Exception):
    """The candidate's process did not answer as asked; `status` is SOL-ExecBench's."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Runner:
    """One runner process, used for one candidate and then ended."""

    def __init__(
        self, sock: socket.socket, pid: int, status: int, output: int, scratch: str
    ) -> None:
        self._sock = sock
        self.pid = pid
        self._status = status
        self._output = output
        self._scratch = scratch
        self.ended: str | None = None
        """How it ended, once its tree is gone."""
        self.held: tuple[str, ...] = ()
        self.fell: dict[str, str] = {}

    @property
    def grade(self) -> int:
        """The sandbox grade that its walls reach."""
        return sandbox.grade(self.held)

    def greet(self) -> None:
        """Wait for its walls."""
        answer, _ = self._answer(START_LIMIT_S)
        if not isinstance(answer, Ready):
            raise RunnerFailed("RUNTIME_ERROR", "the runner did not start")
        self.held, self.fell = answer.held, answer.fell

    def ask(
        self, ask: Value, limit_s: float, blob: bytes = b"", fds: Sequence[int] = ()
    ) -> tuple[Any, bytes]:
        """Send an ask and wait for its answer.

        Raises:
            RunnerFailed: it raised, died, did not answer in time, or answered nonsense.
        """
        self.put(encode(ask, blob) if not fds else b"", ask, fds)
        answer, data = self._answer(limit_s)
        if isinstance(answer, Raised):
            raise RunnerFailed(answer.status, answer.message)
        return answer, data

    def put(self, frame: bytes, ask: Value | None = None, fds: Sequence[int] = ()) -> None:
        """Send a frame encoded before, so that a clock does not time the encoding."""
        try:
            if fds and ask is not None:
                send(self._sock, ask, fds=fds)
            else:
                self._sock.sendall(frame)
        except (PeerGone, BrokenPipeError, ConnectionResetError) as error:
            raise RunnerFailed("RUNTIME_ERROR", self.end(closed=True)) from error

    def take(self, limit_s: float) -> tuple[bytes, bytes]:
        """Receive one raw frame.

        Raises:
            RunnerFailed: dead, late, or longer than any message.
        """
        try:
            text, blob, _ = receive(self._sock, limit_s)
        except PeerGone as error:
            raise RunnerFailed("RUNTIME_ERROR", self.end(closed=True)) from error
        except PeerSilent as error:
            self.end()
            raise RunnerFailed(
                "TIMEOUT", f"no answer within {limit_s:g} s; it was ended"
            ) from error
        except PeerBabbles as error:
            raise self._tampered(error) from error
        return text, blob

    def read(self, text: bytes) -> Any:
        """Validate a raw answer.

        Raises:
            RunnerFailed: it is no answer at all, or the candidate raised.
        """
        try:
            answer = parse(ANSWERS, text)
        except PeerBabbles as error:
            raise self._tampered(error) from error
        return answer

    def done(self, text: bytes) -> Done:
        """Validate a raw answer that must be `Done`."""
        answer = self.read(text)
        if isinstance(answer, Raised):
            raise RunnerFailed(answer.status, answer.message)
        if not isinstance(answer, Done):
            raise RunnerFailed("REWARD_HACK", "it answered something that was not asked")
        return answer

    def _tampered(self, error: PeerBabbles) -> RunnerFailed:
        self.end()
        return RunnerFailed("REWARD_HACK", f"its messages were tampered with: {error}")

    def freeze(self) -> None:
        """Stop every thread of the process where it is."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    def output(self) -> str:
        """The tail of what the candidate printed, without control characters."""
        size = os.fstat(self._output).st_size
        data = os.pread(self._output, OUTPUT_TAIL_BYTES, max(0, size - OUTPUT_TAIL_BYTES))
        text = data.decode(errors="replace")
        return "".join(c for c in text if c.isprintable() or c == "\n")

    def kill(self) -> None:
        """Kill it without waiting: safe from another thread, the asker notices at once."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self, *, closed: bool = False) -> str:
        """Kill the whole tree, wait until it is gone, and say how it ended.

        `closed`: it closed its socket, so it most likely died by itself; say how.
        """
        if self.ended is None:
            by_itself = closed and bool(select.select([self._status], [], [], DYING_S)[0])
            if not by_itself:
                self.kill()
            self.ended = self._how(by_itself=by_itself)
            self._sock.close()
            shutil.rmtree(self._scratch, ignore_errors=True)
        return self.ended

    def close(self) -> None:
        """End it and give its descriptors back."""
        self.end()
        for fd in (self._status, self._output):
            with contextlib.suppress(OSError):
                os.close(fd)

    def _answer(self, limit_s: float) -> tuple[Any, bytes]:
        text, blob = self.take(limit_s)
        return self.read(text), blob

    def _how(self, *, by_itself: bool) -> str:
        """Read the keeper's last line: it comes once nothing of the tree is left.

        Raises:
            RefereeLost: the tree did not go away.
        """
        ready, _, _ = select.select([self._status], [], [], END_LIMIT_S)
        line = os.read(self._status, 200) if ready else b""
        if not line:
            raise RefereeLost("runner", "a candidate's process tree could not be ended")
        code = int(json.loads(line)["exit"])
        if not by_itself:
            return "it was ended"
        if code < 0:
            return f"the process was killed by signal {-code} ({signal.Signals(-code).name})"
        return f"the process ended by itself with exit code {code}"


class Zygote:
    """The warm parent of this referee's runners, in a process of its own."""

    def __init__(self, device_kind: str, *, pin_cpu: int) -> None:
        self._kind = device_kind
        self._pin_cpu = pin_cpu
        self._count = 0
        self._scratch = tempfile.mkdtemp(prefix="kernelarc-")
        # Runners of other user ids pass through to their own folders below.
        os.chmod(self._scratch, 0o711)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def spawn(self, policy: Policy) -> Runner:
        """Fork one runner and wait for its walls.

        Raises:
            RefereeLost: no runner could be started.
        """
        control = self._started()
        uid = FIRST_UID + (os.getpid() * 31 + self._count) % UIDS
        self._count += 1
        ours, theirs = socket.socketpair()
        status_reading, status_writing = os.pipe()
        output = os.memfd_create("output", os.MFD_CLOEXEC)
        order = Spawn(
            scratch=self._scratch,
            uid=uid,
            memory_bytes=policy.memory_bytes if self._kind == "cpu" else 0,
            file_bytes=policy.file_bytes,
            processes=policy.processes,
            pin_cpu=self._pin_cpu,
            readable=(),
        )
        try:
            send(control, order, fds=(theirs.fileno(), status_writing, output))
            text, _, _ = receive(control, START_LIMIT_S)
            pid = int(json.loads(text)["pid"])
        except (PeerGone, PeerSilent) as error:
            raise RefereeLost(self._kind, "the parent of its runners ended") from error
        finally:
            theirs.close()
            os.close(status_writing)
        runner = Runner(ours, pid, status_reading, output, f"{self._scratch}/{uid}")
        try:
            runner.greet()
        except RunnerFailed as failed:
            tail = runner.output()
            runner.close()
            raise RefereeLost(self._kind, f"{failed.message} {tail}".strip()) from failed
        return runner

    def close(self) -> None:
        """End the zygote; runners die with it."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _started(self) -> socket.socket:
        if self._process is None or self._process.poll() is not None or self._control is None:
            ours, theirs = socket.socketpair()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "guard.runner.zygote", str(theirs.fileno()), self._kind],
                pass_fds=(theirs.fileno(),),
                env=clean_environment(self._scratch),
                stdin=subprocess.DEVNULL,
            )
            theirs.close()
            self._control = ours
        return self._control


def clean_environment(scratch: str) -> dict[str, str]:
    """What the zygote may know of the house's environment: no token, no database."""
    kept = ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CXX")
    root = str(Path(__file__).resolve().parents[2])
    path = [root, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)]
    # One thread before anything is imported: a fork of a process with an OpenMP pool hangs.
    return {
        **{k: os.environ[k] for k in kept if k in os.environ},
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        # torch reads these when it is imported, before a runner could say where it may write.
        "TMPDIR": scratch,
        "TORCHINDUCTOR_CACHE_DIR": f"{scratch}/cache/inductor",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        # What the processor says it has is believed; else each process test-compiles for 10 s.
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
    }
