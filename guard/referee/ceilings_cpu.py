"""The ceilings of one core: a runner there has one pinned thread. Below a second in all.

Start at `measured`. Not here: when it is asked for, and where figures are kept (`ceilings`).
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import torch

from guard.domain.bound import Ceilings

MEMORY_BYTES = 128 * 2**20
"""Of the buffers that lie in memory; several times a usual last cache."""
CACHED_BYTES = 128 * 2**10
"""Of the buffers that stay in a core's own cache."""
CACHED_CALLS = 200
EDGE = 384
"""Rows and columns of the matrices: a few milliseconds a product."""
MATRIX_DTYPES = ("float64", "float32", "bfloat16")
REPEATS = 5
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def measured(identity: dict[str, str]) -> Ceilings:
    """Measure them on one thread of this process, whose other threads rest meanwhile."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        matrix = {name: _matrix_rate(getattr(torch, name)) for name in MATRIX_DTYPES}
        return Ceilings(
            identity=identity,
            bytes_per_s=_bandwidths(),
            matrix_flops_per_s=matrix,
            simple_ops_per_s=matrix["float32"],
            special_ops_per_s=_exponentials_rate(),
            cache_bytes=last_cache_bytes(CACHES),
            # Few slots are called in a block, and the referee has just written to them.
            cold=False,
        )
    finally:
        torch.set_num_threads(threads)


def last_cache_bytes(folder: Path) -> int:
    """The largest cache that the kernel tells of, or 0."""
    sizes = [
        int(found[1]) * (2**10 if found[2] == "K" else 2**20)
        for path in folder.glob("index*/size")
        if (found := re.fullmatch(r"(\d+)([KM])", path.read_text().strip()))
    ]
    return max(sizes, default=0)


def best_s(call: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of some calls after a first one that does not count, seconds."""
    call()
    took_ns = []
    for _ in range(repeats):
        start_ns = time.perf_counter_ns()
        call()
        took_ns.append(time.perf_counter_ns() - start_ns)
    return max(min(took_ns), 1) / 1e9


def _bandwidths() -> dict[str, float]:
    source = torch.ones(MEMORY_BYTES // 4)
    target = torch.zeros_like(source)
    near, other = (torch.ones(CACHED_BYTES // 4) for _ in range(2))

    def cached() -> None:
        for _ in range(CACHED_CALLS):
            other.copy_(near)

    size = source.nbytes
    return {
        "read": size / min(best_s(source.sum), best_s(lambda: torch.dot(source, source))),
        "write": size / best_s(lambda: target.fill_(2.0)),
        "copy": 2 * size / best_s(lambda: target.copy_(source)),
        "cached copy": 2 * near.nbytes * CACHED_CALLS / best_s(cached),
    }


def _matrix_rate(dtype: torch.dtype) -> float:
    a, b = (torch.rand(EDGE, EDGE).to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    return 2 * EDGE**3 / best_s(lambda: torch.mm(a, b, out=out))


def _exponentials_rate() -> float:
    x = torch.rand(CACHED_BYTES // 4)
    out = torch.empty_like(x)
    return x.numel() / best_s(lambda: torch.exp(x, out=out))
