"""Starting runners: one warm zygote per referee, executed on its own, that forks them.

Start at `Zygote.spawn`. Not here: what can be done with a runner (`runners`).
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque

from guard import sandbox
from guard.asks import Spawn
from guard.domain.decision import Policy
from guard.domain.errors import RefereeLost
from guard.lock import own_number
from guard.referee.runners import START_LIMIT_S, Runner, RunnerFailed
from guard.wire import PeerGone, PeerSilent, receive, send

FIRST_UID = 61_000
UIDS = 100
"""Of one referee, used in turn: many more than it has runners at a time.

One is used again only when the tree of the runner before is proved gone.
"""
REFEREES = 40
"""Of one host, each with user ids of its own: runners of one user could signal each other."""


class Zygote:
    """The warm parent of this referee's runners, in a process of its own; safe from every thread.

    The kernel ends it with the thread that started it, so only threads that stay may spawn.
    """

    def __init__(self, device_kind: str) -> None:
        self._kind = device_kind
        self._asking = threading.Lock()
        number, self._number_fd = own_number("uids", REFEREES)
        first = FIRST_UID + number * UIDS
        self._free = deque(range(first, first + UIDS))
        self._uids: dict[Runner, int] = {}
        self._scratch = tempfile.mkdtemp(prefix="kernelarc-")
        # Runners of other user ids pass through to their own folders below.
        os.chmod(self._scratch, 0o711)
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def spawn(self, policy: Policy, shared_bytes: int = 0, *, cpus: tuple[int, ...] = ()) -> Runner:
        """Fork one runner, on these CPUs (none: any), and wait for its walls.

        `shared_bytes` of the referee's memory will be mapped there: they come on top of what the
        policy leaves to the candidate.

        Raises:
            RefereeLost: no runner could be started.
        """
        uid = self._take_uid()
        order = Spawn(
            scratch=self._scratch,
            uid=uid,
            memory_bytes=policy.memory_bytes + shared_bytes if self._kind == "cpu" else 0,
            file_bytes=policy.file_bytes,
            processes=policy.processes,
            cpus=cpus,
            readable=(),
        )
        with self._asking:
            runner = self._forked(order)
            self._uids[runner] = uid
        try:
            runner.greet()
        except RunnerFailed as failed:
            tail = runner.output()
            self.end(runner)
            raise RefereeLost(self._kind, f"{failed.message} {tail}".strip()) from failed
        return runner

    def end(self, runner: Runner) -> None:
        """End a runner with its tree; its user id is free again when that is gone.

        Raises:
            RefereeLost: the tree did not go away.
        """
        runner.close()
        with self._asking:
            if runner in self._uids:
                self._free.append(self._uids.pop(runner))

    def _take_uid(self) -> int:
        with self._asking:
            if not self._free:
                raise RefereeLost(self._kind, "the trees of too many runners are still there")
            return self._free.popleft()

    def _forked(self, order: Spawn) -> Runner:
        control = self._started()
        ours, theirs = socket.socketpair()
        status_reading, status_writing = os.pipe()
        output = os.memfd_create("output", os.MFD_CLOEXEC)
        try:
            send(control, order, fds=(theirs.fileno(), status_writing, output))
            text, _, _ = receive(control, START_LIMIT_S)
            pid = int(json.loads(text)["pid"])
            if pid <= 0:
                raise PeerGone
        except (PeerGone, PeerSilent) as error:
            # A late answer would be taken for the next runner's: start anew.
            self._drop()
            for fd in (status_reading, output):
                os.close(fd)
            ours.close()
            self._free.append(order.uid)
            raise RefereeLost(self._kind, "the parent of its runners ended") from error
        finally:
            theirs.close()
            os.close(status_writing)
        return Runner(ours, pid, status_reading, output, f"{self._scratch}/{order.uid}")

    def close(self) -> None:
        """End the zygote for good; runners die with it."""
        self._closed = True
        # Whoever waits for its answer goes on, and starts no other.
        self._drop()
        with self._asking:
            self._drop()
            if self._control is not None:
                self._control.close()
        if self._number_fd >= 0:
            os.close(self._number_fd)
            self._number_fd = -1
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _started(self) -> socket.socket:
        if self._closed:
            raise RefereeLost(self._kind, "it is being closed")
        if self._process is None or self._process.poll() is not None or self._control is None:
            ours, theirs = socket.socketpair()
            if self._control is not None:
                self._control.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "guard.runner.zygote", str(theirs.fileno()), self._kind],
                pass_fds=(theirs.fileno(),),
                env=sandbox.clean_environment(self._scratch),
                stdin=subprocess.DEVNULL,
            )
            theirs.close()
            self._control = ours
        return self._control
