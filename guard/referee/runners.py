"""The referee's hold on its runners: starting, asking with a deadline, freezing, ending.

A `Runner` here is the trusted side's handle of one untrusted process. Everything read from it is
bounded and validated; a runner that dies is noticed at once, by its socket closing, not by a
time limit. Start at `Runner.ask`.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from guard import sandbox
from guard.asks import ANSWERS, Done, PipeAsk, Raised, Ready
from guard.domain.errors import RefereeLost
from guard.domain.value import Value
from guard.plain import plain
from guard.processes import cpu_clock, descendants, newest, stands_still
from guard.referee.leftovers import remove
from guard.spinning import until_readable
from guard.wire import PeerBabbles, PeerGone, PeerSilent, encode, parse, receive, send

START_LIMIT_S = 120.0
# A fork bomb's hundreds of processes take seconds to go on a busy host.
END_LIMIT_S = 30.0
PUT_LIMIT_S = 10
# A thread that waits for a disk or a driver is stopped only when that is over, and on a busy host
# nobody is to blame for it. Who wakes itself never stands still.
STAND_STILL_S = 5.0
LEAVING_S = 1e-4
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
        self.last_line_fd = status
        """Where its keeper writes one line, once nothing of its tree is left."""
        self._output = output
        self._scratch = scratch
        self._used_ns: int | None = None
        """Processor time used when it came to rest; none while it may run."""
        # A candidate that never reads would block the referee for ever.
        late = struct.pack("ll", PUT_LIMIT_S, 0)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, late)
        self.ended: str | None = None
        """How it ended, once its tree is gone."""
        self._bait: int | None = None
        self._alone_at: int | None = None
        """The newest process of the host when the candidate was found to have no other."""
        self.held: tuple[str, ...] = ()
        self.fell: dict[str, str] = {}

    @property
    def grade(self) -> int:
        """The sandbox grade that its walls reach."""
        return sandbox.grade(self.held)

    def greet(self) -> None:
        """Wait for its walls."""
        text, _ = self.take(START_LIMIT_S)
        answer = self.answer(text, Ready)
        self.held, self.fell = answer.held, answer.fell

    def ask(
        self,
        ask: Value,
        limit_s: float,
        blob: bytes = b"",
        fds: Sequence[int] = (),
        expect: type[Value] = Done,
    ) -> tuple[Any, bytes]:
        """Send an ask and wait for its answer; a frozen runner is let go on first.

        Raises:
            RunnerFailed: it raised, died, did not answer in time, or answered nonsense.
        """
        self.thaw()
        self.put(encode(ask, blob) if not fds else b"", ask, fds)
        text, data = self.take(limit_s)
        return self.answer(text, expect), data

    def put(self, frame: bytes, ask: Value | None = None, fds: Sequence[int] = ()) -> None:
        """Send a frame encoded before, so that a clock does not time the encoding."""
        try:
            if fds and ask is not None:
                send(self._sock, ask, fds=fds)
            else:
                self._sock.sendall(frame)
        except (PeerGone, BrokenPipeError, ConnectionResetError) as error:
            raise RunnerFailed("RUNTIME_ERROR", self.end(closed=True)) from error
        except BlockingIOError as error:
            self.end()
            message = f"it did not read what it was told within {PUT_LIMIT_S} s; it was ended"
            raise RunnerFailed("TIMEOUT", message) from error

    def take(self, limit_s: float, *, spins: bool = False) -> tuple[bytes, bytes]:
        """Receive one raw frame; `spins`: without going to sleep before it comes.

        Raises:
            RunnerFailed: dead, late, or longer than any message.
        """
        if spins:
            self.spin(limit_s)
        try:
            text, blob, _ = receive(self._sock, limit_s)
        except PeerGone as error:
            raise RunnerFailed("RUNTIME_ERROR", self.end(closed=True)) from error
        except PeerSilent as error:
            raise self._late(limit_s) from error
        except PeerBabbles as error:
            raise self._tampered(error) from error
        return text, blob

    def spin(self, limit_s: float) -> None:
        """Wait without sleeping until some answer is there, or it is gone; late: it fails."""
        if not until_readable(self._sock, limit_s):
            raise self._late(limit_s)

    def _late(self, limit_s: float) -> RunnerFailed:
        self.end()
        return RunnerFailed("TIMEOUT", f"no answer within {limit_s:g} s; it was ended")

    def answer(self, text: bytes, expect: type[Value] = Done) -> Any:
        """Validate a raw answer, which must be of the kind that was asked for.

        Raises:
            RunnerFailed: it is not, or the candidate raised.
        """
        try:
            answer = parse(ANSWERS, text)
        except PeerBabbles as error:
            raise self._tampered(error) from error
        if isinstance(answer, Raised):
            raise RunnerFailed(answer.status, answer.message)
        if not isinstance(answer, expect):
            raise self._tampered("it answered something that was not asked")
        return answer

    def _tampered(self, error: PeerBabbles | str) -> RunnerFailed:
        self.end()
        return RunnerFailed("REWARD_HACK", f"its messages were tampered with: {error}")

    def others(self) -> list[int]:
        """Processes that the candidate made and that are still there."""
        # Looking through all processes takes milliseconds: not again while none has begun.
        latest = newest()
        if latest == self._alone_at:
            return []
        found = descendants(self.pid)
        self._alone_at = None if found else latest
        return found

    def lay_bait(self, limit_s: float) -> None:
        """Give it a descriptor, named in its environment, that it has no reason to write to."""
        self._bait, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            self.ask(PipeAsk(), limit_s, fds=(writing,))
        finally:
            os.close(writing)

    def check_bait(self) -> None:
        """Convict a candidate that wrote to it.

        Raises:
            RunnerFailed: REWARD_HACK.
        """
        with contextlib.suppress(BlockingIOError):
            if self._bait is not None and os.read(self._bait, 1):
                message = "it wrote into the descriptor of a result, which nobody asked it for"
                raise RunnerFailed("REWARD_HACK", message)

    def freeze(self) -> None:
        """Stop every thread of the process where it is, and wait until it stands still."""
        self.stop()
        self.rest()

    def stop(self) -> None:
        """Have every thread stopped; without waiting, for a clock that runs."""
        self._used_ns = None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)

    def rest(self) -> None:
        """Wait until every thread stands still, and note the processor time used until then.

        A process can arrange to be woken (a timer or a socket may send it SIGCONT), so that it is
        stopped does not mean that it stays so.

        Raises:
            RunnerFailed: it does not stand still.
        """
        limit_s = time.monotonic() + STAND_STILL_S
        used_ns = -1
        with contextlib.suppress(OSError):
            # A thread is called stopped a little before it has left its core.
            while not stands_still(self.pid) or used_ns != (used_ns := self._clock_ns()):
                if time.monotonic() > limit_s:
                    self.end()
                    raise RunnerFailed("REWARD_HACK", "it could not be stopped between calls")
                time.sleep(LEAVING_S)
            self._used_ns = used_ns

    def stirred_ns(self) -> int:
        """Processor time that it used since it came to rest; 0 while it may run."""
        if self._used_ns is None:
            return 0
        with contextlib.suppress(OSError):
            return self._clock_ns() - self._used_ns
        return 0

    def _clock_ns(self) -> int:
        return time.clock_gettime_ns(cpu_clock(self.pid))

    def thaw(self) -> None:
        """Let it go on."""
        self._used_ns = None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    def output(self) -> str:
        """The tail of what the candidate printed, without control characters."""
        size = os.fstat(self._output).st_size
        data = os.pread(self._output, OUTPUT_TAIL_BYTES, max(0, size - OUTPUT_TAIL_BYTES))
        return plain(data.decode(errors="replace"))

    def kill(self) -> None:
        """Kill it without waiting: safe from another thread, the asker notices at once."""
        if self.ended is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self, *, closed: bool = False) -> str:
        """Kill the whole tree, wait until it is gone, and say how it ended.

        `closed`: it closed its socket, so it most likely died by itself; say how.
        """
        if self.ended is None:
            by_itself = closed and bool(select.select([self.last_line_fd], [], [], DYING_S)[0])
            if not by_itself:
                self.kill()
            try:
                self.ended = self._how(by_itself=by_itself)
            finally:
                self._sock.close()
                remove(self._scratch)
        return self.ended

    def close(self) -> None:
        """End it and give its descriptors back."""
        try:
            self.end()
        finally:
            for fd in (self.last_line_fd, self._output, *filter(None, (self._bait,))):
                with contextlib.suppress(OSError):
                    os.close(fd)

    def _how(self, *, by_itself: bool) -> str:
        """Read the keeper's last line: it comes once nothing of the tree is left.

        Raises:
            RefereeLost: the tree did not go away.
        """
        ready, _, _ = select.select([self.last_line_fd], [], [], END_LIMIT_S)
        line = os.read(self.last_line_fd, 200) if ready else b""
        if not line:
            raise RefereeLost("runner", "a candidate's process tree could not be ended")
        code = int(json.loads(line)["exit"])
        if not by_itself:
            return "it was ended"
        if code < 0:
            named = "".join(f" ({s.name})" for s in signal.Signals if s == -code)
            return f"the process was killed by signal {-code}{named}"
        aborted = " (it aborted)" if code == signal.SIGABRT else ""
        return f"the process ended by itself with exit code {code}{aborted}"
