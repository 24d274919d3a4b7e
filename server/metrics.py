"""What the server counts about itself, in Prometheus' text format.

Start at `Metrics.text`. No labels come from callers, so a series cannot grow without bound.
Not here: what the board counts (`health`).
"""

import resource
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from server.lag import Lag


class Metrics:
    """Counters of one server process; only the event loop writes them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        """Tool calls by tool."""
        self.refusals: Counter[str] = Counter()
        """Error answers by code."""
        self.jobs: Counter[str] = Counter()
        """Jobs that ended, by state."""
        self.lag = Lag()
        self._started = time.monotonic()

    def text(
        self,
        *,
        ready: bool,
        running: int,
        quarantined: Mapping[str, int],
        orders: Mapping[tuple[str, str, str], int],
        health: Sequence[str] = (),
    ) -> str:
        """The page that ``/metrics`` serves.

        `quarantined`: 0 or 1 for each device; `orders`: open ones by device, lane and state;
        `health`: what the board knows, as lines.
        """
        lines = [
            f"kernelarc_ready {int(ready)}",
            f"kernelarc_uptime_seconds {time.monotonic() - self._started:.0f}",
            f"kernelarc_jobs_open {running}",
            f"kernelarc_resident_memory_bytes {_resident_bytes()}",
        ]
        for name, label, counter in (
            ("tool_calls_total", "tool", self.calls),
            ("refusals_total", "code", self.refusals),
            ("jobs_ended_total", "state", self.jobs),
            ("device_quarantined", "device", quarantined),
        ):
            lines += [f'kernelarc_{name}{{{label}="{k}"}} {n}' for k, n in sorted(counter.items())]
        lines += [
            f'kernelarc_orders_open{{device="{device}",lane="{lane}",state="{state}"}} {count}'
            for (device, lane, state), count in sorted(orders.items())
        ]
        return "\n".join([*lines, *self.lag.lines(), *health]) + "\n"


def _resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()
