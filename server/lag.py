"""How late the event loop is: whatever a caller sends waits so long before anybody looks at it.

    sleep for `EVERY_S` -> by how much later it went on -> a histogram, as lines for `/metrics`

Start at `Lag.watch`. Not here: the page (`metrics`).
"""

import asyncio
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NoReturn

EVERY_S = 0.05
EDGES_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_NAME = "kernelarc_loop_lag_seconds"


class Lag:
    """How late the loop was at each look, counted by size."""

    def __init__(self) -> None:
        self._counts = [0] * (len(EDGES_S) + 1)
        self._total_s = 0.0

    def note(self, late_s: float) -> None:
        """Count one look."""
        self._counts[bisect_left(EDGES_S, late_s)] += 1
        self._total_s += late_s

    def lines(self) -> Iterator[str]:
        """A histogram in Prometheus' text format: each bucket holds the smaller ones as well."""
        counts = list(accumulate(self._counts))
        for edge, count in zip((*map(str, EDGES_S), "+Inf"), counts, strict=True):
            yield f'{_NAME}_bucket{{le="{edge}"}} {count}'
        yield f"{_NAME}_sum {self._total_s:.6f}"
        yield f"{_NAME}_count {counts[-1]}"

    async def watch(self) -> NoReturn:
        """Look again and again, until it is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + EVERY_S
            await asyncio.sleep(EVERY_S)
            self.note(max(0.0, loop.time() - due_s))
