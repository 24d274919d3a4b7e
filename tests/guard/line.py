"""A referee in a process of its own, ordered from as a server would."""

import socket
import subprocess
import sys
from pathlib import Path

from guard.wire import REPORTS, Cancelled, Progress, parse, receive, send

ROOT = Path(__file__).resolve().parents[2]


class Line:
    """A server's end of one referee; `program` is the module that is its process."""

    def __init__(self, program="guard.referee.main"):
        self.sock, theirs = socket.socketpair()
        command = [sys.executable, "-m", program, str(theirs.fileno()), "cpu", "cpu"]
        self.process = subprocess.Popen(command, cwd=ROOT, pass_fds=(theirs.fileno(),))
        theirs.close()

    def order(self, order):
        send(self.sock, order)

    def next(self):
        text, _, _ = receive(self.sock, 120)
        return parse(REPORTS, text)

    def report(self):
        """The next report that is no progress."""
        while isinstance(found := self.next(), Progress):
            continue
        return found

    def cancelled(self):
        """The job of the next report, which says that it was cancelled."""
        report = self.report()
        assert isinstance(report, Cancelled), report
        return report.job

    def close(self):
        self.sock.close()
        return self.process.wait(60)
