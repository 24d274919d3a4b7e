"""What a server tells of itself on ``/metrics``, as values.

    page -> how late its loop was, by bucket -> percentiles between two pages

Start at `buckets_of`, then `percentile_s`. Not here: the page itself (`server.metrics`).
"""

import re
import urllib.request
from collections.abc import Mapping

Buckets = Mapping[float, int]
"""Looks at the loop that were at most so late, by seconds; the largest is infinite."""
_BUCKET = re.compile(r'^kernelarc_loop_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$', re.MULTILINE)


def fetch(url: str) -> str:
    """The page of the server whose tools are at this URL."""
    with urllib.request.urlopen(url.removesuffix("/mcp") + "/metrics", timeout=30) as page:
        return str(page.read().decode())


def buckets_of(page: str) -> Buckets:
    """How late the loop was since the server started."""
    return {float(edge.replace("+Inf", "inf")): int(n) for edge, n in _BUCKET.findall(page)}


def between(before: Buckets, after: Buckets) -> Buckets:
    """How late it was between two looks at the page."""
    return {edge: count - before.get(edge, 0) for edge, count in after.items()}


def percentile_s(buckets: Buckets, percent: float) -> float:
    """So many of a hundred looks were at most so late, seconds: evenly spread within a bucket.

    Infinite where it lies beyond the last bucket; 0 where nothing was looked at.
    """
    wanted = max(buckets.values(), default=0) * percent / 100
    lower_s, below = 0.0, 0
    for edge_s, count in sorted(buckets.items()):
        if count >= wanted and count > below:
            return lower_s + (edge_s - lower_s) * (wanted - below) / (count - below)
        lower_s, below = edge_s, count
    return 0.0
