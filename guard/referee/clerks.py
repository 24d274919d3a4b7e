"""The referee's hold on the clerk that reads sources: starting, asking with a deadline, ending.

Start at `Clerk.notice`. Not here: what a clerk does (`guard.clerk`).
"""

import os
import socket
import subprocess
import sys

from guard import sandbox
from guard.clerk import NOTICED, Noticed
from guard.domain.solution import Solution
from guard.domain.trace import Remark
from guard.wire import PeerBabbles, PeerGone, PeerSilent, parse, receive, send

LIMIT_S = 10.0
"""Reading the largest source takes well under a second; what takes longer is meant to."""


class Clerk:
    """The process that reads sources; started when first asked, and again when it was lost.

    It stays on the cores `cpus`; none named: on any.
    """

    def __init__(self, cpus: tuple[int, ...] = ()) -> None:
        self._cpus = cpus
        self._process: subprocess.Popen[bytes] | None = None
        self._sock: socket.socket | None = None

    def notice(self, solution: Solution) -> Noticed:
        """What the rules find; a source that they cannot read is told in a hint."""
        sock = self._started()
        try:
            send(sock, solution)
            text, _, _ = receive(sock, LIMIT_S)
            noticed: Noticed = parse(NOTICED, text)
        except (PeerGone, PeerSilent, PeerBabbles):
            self.close()
            evidence = "the static rules could not read it"
            path = solution.sources[0].path
            return Noticed(hints=(Remark(rule="unread", path=path, line=1, evidence=evidence),))
        return noticed

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._sock is not None:
            self._sock.close()
            self._process.kill()
            self._process.wait()
        self._process = self._sock = None

    def _started(self) -> socket.socket:
        if self._sock is None:
            self._sock, theirs = socket.socketpair()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "guard.clerk", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env=sandbox.clean_environment("/nonexistent"),
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            theirs.close()
            if self._cpus:
                os.sched_setaffinity(self._process.pid, self._cpus)
        return self._sock
