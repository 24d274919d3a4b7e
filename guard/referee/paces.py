"""About how long a call took when it was last timed here, so that blocks need no rehearsal.

Only the length of blocks hangs on it, never a figure. Start at `Paces`. Not here: sizing them
(`timing`).
"""

from collections import OrderedDict

from guard.domain.problem import Workload
from guard.domain.solution import Solution

MOST = 4096
"""Entries kept: the champions' are asked for again and again, candidates' seldom."""


class Paces:
    """Milliseconds of one call by solution and workload, of those last asked for."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], float] = OrderedDict()

    def of(self, solution: Solution, workload: Workload) -> float | None:
        """What was noted, if anything was."""
        key = _key(solution, workload)
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def note(self, solution: Solution, workload: Workload, latency_ms: float) -> None:
        """Remember what a call took."""
        self._known[_key(solution, workload)] = latency_ms
        while len(self._known) > MOST:
            self._known.popitem(last=False)


def _key(solution: Solution, workload: Workload) -> tuple[object, ...]:
    return solution.digest, workload.uuid, *sorted(workload.axes.items())
