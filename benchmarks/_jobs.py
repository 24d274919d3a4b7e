"""Where the time of jobs went, as far as the board's rows tell.

    rows of jobs and verifications -> Shares

Start at `shares`. Read only, after the server has ended.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from guard.domain.value import Value

STARTED = "started_s"
"""When a job left the queue; a board without this column does not tell who waited."""


class Shares(Value):
    """Seconds of all jobs together, from being asked for to their end, and parts of them."""

    jobs: int
    in_all_s: float
    compile_s: float
    """In builders, by their own clock."""
    wait_s: float | None
    """In the queue; None: the rows do not tell, and neither do they tell the device's part."""

    @property
    def device_s(self) -> float | None:
        """What is left: runners, calls, comparisons, timing."""
        return None if self.wait_s is None else self.in_all_s - self.compile_s - self.wait_s

    def told(self) -> str:
        """All parts in one sentence."""
        if not self.in_all_s:
            return "No job ended."
        compiling = f"compiling {self.compile_s / self.in_all_s:.1%}"
        if self.wait_s is None or self.device_s is None:
            return (
                f"Of {self.in_all_s:.1f} s in {self.jobs} jobs, queueing included: {compiling}. "
                "When a job left the queue is not recorded, so neither waiting nor device time "
                "can be told."
            )
        waiting, device = self.wait_s / self.in_all_s, self.device_s / self.in_all_s
        return (
            f"Of {self.in_all_s:.1f} s in {self.jobs} jobs: {compiling}, waiting {waiting:.1%}, "
            f"device {device:.1%}."
        )


def shares(database: Path, since_s: float) -> Shares:
    """Add up every job that was asked for since this moment (seconds since 1970) and has ended."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as board:
        known = {str(row[1]) for row in board.execute("pragma table_info(job)")}
        columns = f"created_s, finished_s, {STARTED if STARTED in known else 'null'}"
        jobs = board.execute(
            f"select {columns} from job where created_s >= ? and state = 'done'", (since_s,)
        ).fetchall()
        reports = board.execute(
            "select compiled from verification join submission on id = submission_id "
            "where submitted_s >= ?",
            (since_s,),
        ).fetchall()
    compile_s = sum(float(json.loads(report).get("duration_s", 0.0)) for (report,) in reports)
    return added(jobs, compile_s)


def added(jobs: Sequence[tuple[float, float, float | None]], compile_s: float) -> Shares:
    """Add up jobs, each with when it was asked for, when it ended, and when it began if known."""
    begun = [started - created for created, _, started in jobs if started is not None]
    return Shares(
        jobs=len(jobs),
        in_all_s=sum(finished - created for created, finished, _ in jobs),
        compile_s=compile_s,
        wait_s=sum(begun) if jobs and len(begun) == len(jobs) else None,
    )
