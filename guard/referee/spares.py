"""Runners made ready before they are needed: walled in, the device prepared, no candidate yet.

    a thread: fork, walls, device -> ready -> `Spares.take`, once -> the thread makes another

Nothing is made while something is timed. A spare holds nothing secret, since nobody has told it
anything. Start at `Spares.take`. Not here: forking (`spawning`), handing over (`supply`).
"""

import contextlib
import os
import select
import threading
from collections.abc import Callable

from guard.domain.decision import Policy
from guard.domain.errors import KernelArcError
from guard.referee.quiet import Quiet
from guard.referee.runners import Runner, RunnerFailed

SPARES = 3
"""Of one referee: the two sides of a duel, and one for the candidate after it."""
LEAVE_S = 0.5


class Spares:
    """So many runners that wait for a candidate, for one kind of limits at a time."""

    def __init__(
        self,
        count: int,
        quiet: Quiet,
        make: Callable[[Policy], Runner],
        end: Callable[[Runner], None],
    ) -> None:
        self._count, self._quiet, self._make, self._end = count, quiet, make, end
        self._guard = threading.Lock()
        self._ready: list[Runner] = []
        self._useless: list[Runner] = []
        self._policy = Policy()
        self._closed = self._done = False
        self._bell = os.eventfd(1, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def take(self, policy: Policy) -> Runner | None:
        """A living spare whose limits fit, never given out again; None: there is none now."""
        with self._guard:
            if _limits(policy) != _limits(self._policy):
                self._policy = policy
                self._useless += self._ready
                self._ready = []
            taken = None
            while self._ready and taken is None:
                first = self._ready.pop(0)
                if _gone([first]):
                    self._useless.append(first)
                else:
                    taken = first
        os.eventfd_write(self._bell, 1)
        return taken

    def ready(self) -> tuple[Runner, ...]:
        """Those that wait now."""
        with self._guard:
            return tuple(self._ready)

    def close(self) -> None:
        """End all; one that is being made ends with the zygote."""
        with self._guard:
            self._closed = True
            left = self._ready + self._useless
            self._ready, self._useless = [], []
        for runner in left:
            self._end(runner)

    def leave(self) -> None:
        """Let the thread go, now that the zygote is gone: it may be what had started it."""
        self._done = True
        os.eventfd_write(self._bell, 1)
        # One that waits for quiet goes when it may.
        self._thread.join(LEAVE_S)

    def _keep(self) -> None:
        while not self._done:
            # A descriptor is no longer there when its runner was taken and has ended meanwhile.
            with contextlib.suppress(OSError):
                select.select([self._bell, *(r.last_line_fd for r in self.ready())], [], [])
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._bell)
            # What cannot be made now is tried again when the next one is taken, or ends.
            with self._quiet.broken(), contextlib.suppress(KernelArcError, RunnerFailed, OSError):
                self._replace()
        os.close(self._bell)

    def _replace(self) -> None:
        """End those that are no use, and make one that is missing: a timed order may come next."""
        with self._guard:
            dead = _gone(self._ready)
            self._ready = [runner for runner in self._ready if runner not in dead]
            useless, self._useless = self._useless + dead, []
        for runner in useless:
            with contextlib.suppress(KernelArcError):
                self._end(runner)
        policy = self._policy
        if self._closed or len(self.ready()) >= self._count:
            return
        runner = self._make(policy)
        with self._guard:
            fits = _limits(policy) == _limits(self._policy) and not self._closed
            if fits:
                self._ready.append(runner)
        if not fits:
            self._end(runner)
        os.eventfd_write(self._bell, 1)


def _gone(runners: list[Runner]) -> list[Runner]:
    """Those whose tree is gone."""
    ended = select.select([r.last_line_fd for r in runners], [], [], 0)[0]
    return [runner for runner in runners if runner.last_line_fd in ended]


def _limits(policy: Policy) -> tuple[int, int]:
    """What a runner cannot change once its walls are up."""
    return policy.file_bytes, policy.processes
