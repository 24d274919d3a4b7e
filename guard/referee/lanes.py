"""Orders on their way through a referee: which wait in which lane, and whose court is at work.

    Docket: every open order as a `Case`       Lane: cases that wait, taken by its threads

Start at `Docket.begin`. Not here: what is done in a lane (`main`).
"""

import os
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from guard.domain.value import Value
from guard.referee.court import Court
from guard.referee.screening import Screened
from guard.referee.stays import Stay

Where = Literal["compile", "device"]


@dataclass(eq=False)
class Case:
    """One order from its arrival to its report."""

    order: Any
    screened: Screened | None = None
    """What the compile lane found."""
    trouble: Value | None = None
    """The report with which the compile lane failed; the device is looked at before it is sent."""
    cancelled: bool = False
    court: Court | None = None
    """Who works on it now."""
    stay: Stay = field(default_factory=Stay)
    """Where its time goes."""

    @property
    def job(self) -> str:
        """By which it is reported and cancelled."""
        return str(getattr(self.order, "job", ""))


class Docket:
    """Open cases by job; a cancellation finds each, wherever it is."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._cases: dict[str, Case] = {}

    def open(self, order: object) -> Case:
        """A new case."""
        case = Case(order)
        with self._guard:
            self._cases[case.job] = case
        return case

    def close(self, case: Case) -> None:
        """It is about to be reported: a cancellation that comes now is of nothing."""
        with self._guard:
            if self._cases.get(case.job) is case:
                del self._cases[case.job]

    def begin(self, case: Case, court: Court) -> bool:
        """Have this court work on it; False: it was cancelled before."""
        with self._guard:
            court.resume()
            if not case.cancelled:
                case.court = court
            return not case.cancelled

    def leave(self, case: Case) -> None:
        """This court is done; a cancellation must not reach what it does next."""
        with self._guard:
            if case.court is not None:
                case.court.resume()
            case.court = None

    def cancel(self, job: str) -> None:
        """Stop who works on it, and have nobody else begin."""
        with self._guard:
            case = self._cases.get(job)
            if case is not None:
                case.cancelled = True
                if case.court is not None:
                    case.court.cancel()

    def at_work(self) -> list[Court]:
        """The courts that work on something now."""
        with self._guard:
            return [case.court for case in self._cases.values() if case.court is not None]


class Lane:
    """Cases in order of their arrival, for this many threads."""

    def __init__(self, where: Where, called: str, threads: int) -> None:
        self.where = where
        self.called = called
        """What a case waits for here, in words."""
        self._change = threading.Condition()
        self._cases: deque[Case] = deque()
        self._idle = threads

    def put(self, case: Case, waits: Callable[[], None]) -> None:
        """Add a case; `waits` is called first when nobody is free to take it."""
        with self._change:
            must_wait = len(self._cases) >= self._idle
        if must_wait:
            waits()
        with self._change:
            self._cases.append(case)
            self._change.notify()

    @contextmanager
    def taken(self) -> Iterator[Case]:
        """The next case, once there is one; this thread is busy with it for the block."""
        with self._change:
            self._change.wait_for(lambda: self._cases)
            case = self._cases.popleft()
            self._idle -= 1
        try:
            yield case
        finally:
            with self._change:
                self._idle += 1


def end_with_thread(ended: threading.ExceptHookArgs) -> None:
    """End this process with a thread that failed: what waits for it would wait for ever."""
    if ended.exc_value is not None:
        traceback.print_exception(ended.exc_value)
    os._exit(1)
