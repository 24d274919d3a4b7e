"""Nothing that this referee starts in the background may run beside a block that is being timed.

    a timed order: `Quiet.kept`      builders, new spare runners: `Quiet.broken`

Neither starves: a timed order waits for those at work and lets no new ones in, and when it is over,
all that waited for it come before the next timed order. Not here: other referees (`guard.lock`).
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_S = 0.05
"""How often a timed order that waits looks whether it was cancelled."""


class Quiet:
    """One timed order at a time, or any number of others; safe from every thread."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._kept = False
        self._wanted = False
        self._at_work = 0
        self._waiting = 0
        self._first = 0
        """Of those that wait, how many come before the next timed order."""

    @contextmanager
    def kept(self, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Time something, once all others are done; `check` is called meanwhile and may raise."""
        with self._change:
            self._wanted = True
            try:
                while not self._change.wait_for(self._is_quiet, LOOK_S):
                    check()
                self._kept = True
            finally:
                self._wanted = False
                self._change.notify_all()
        try:
            yield
        finally:
            with self._change:
                self._kept = False
                self._first = self._waiting
                self._change.notify_all()

    @contextmanager
    def broken(self, waits: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Do something that costs processor time; `waits` is called if that has to wait."""
        with self._change:
            must_wait = not self._may_begin()
            # From here on: a timed order that ends meanwhile lets it in.
            self._waiting += 1
        try:
            if must_wait:
                waits()
            with self._change:
                self._change.wait_for(self._may_begin)
                self._at_work += 1
        finally:
            with self._change:
                self._waiting -= 1
                self._first = max(0, self._first - 1)
                self._change.notify_all()
        try:
            yield
        finally:
            with self._change:
                self._at_work -= 1
                self._change.notify_all()

    def _is_quiet(self) -> bool:
        return not self._at_work and not self._first

    def _may_begin(self) -> bool:
        return not self._kept and (not self._wanted or self._first > 0)
