"""The speed of light: how fast a workload could be on a device, and what claims to be faster.

Pure functions over recorded numbers: no clock, no disk, no device.

    Work × Ceilings -> Bound;  Duel × Bounds -> a doubt, or nothing

`bound_ms` is an estimate to aim at. `limit_ms`, from which a decision may follow, counts only what
no honest kernel can do without. Start at `bound`; `beyond_light` is what the gate asks. Not here:
how work is counted and ceilings are measured (`guard.referee`).
"""

import math
from collections.abc import Mapping
from statistics import median

from guard.benchmark import usable
from guard.domain.bound import Bound, Ceilings, Work
from guard.domain.trace import Duel

WIDTHS: Mapping[str, int] = {
    "float64": 64, "float32": 32, "bfloat16": 16, "float16": 16,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "int8": 8, "float4_e2m1fn_x2": 4,
}  # fmt: skip
"""Bits of the dtypes that matrix products take."""
BELIEVED = 0.98
"""A ceiling may have been missed by so much when it was measured (a fraction of the time)."""
CACHED = 0.01
"""Share of a block's inputs that may come from the cache without moving a limit."""
FAST_PRODUCT = 7 / 8
"""One step of Strassen's algorithm spares one multiplication of eight."""
POLYNOMIAL_OPS = 12
"""32-bit operations of an exponential that is computed without the special unit: range reduction
and a polynomial of degree four, in six fused multiply-adds."""
MEMORY_PATTERNS = ("read", "write", "copy")
MILLI = 1e3


def bound(work: Work, ceilings: Ceilings) -> Bound | None:
    """The least time of this work at these ceilings, or None when nothing of it takes time."""
    times_ms = resource_times_ms(work, ceilings)
    resource = max(times_ms, key=lambda name: times_ms[name], default="")
    if not resource or times_ms[resource] <= 0:
        return None
    limit_ms, limit_calls = _limit(work, ceilings)
    return Bound(
        bound_ms=times_ms[resource],
        resource=resource,
        limit_ms=min(times_ms[resource], limit_ms),
        limit_calls=limit_calls,
        note=work.note,
    )


def resource_times_ms(work: Work, ceilings: Ceilings) -> dict[str, float]:
    """How long each resource takes alone, milliseconds; what was not measured is left out."""
    found = {"memory": _memory_ms(work, ceilings)}
    for dtype, flops in work.matrix_flops.items():
        rate = matrix_rate(dtype, ceilings)
        if rate is not None:
            found[f"matrix {dtype}"] = flops / rate * MILLI
    simple, special = ceilings.simple_ops_per_s, ceilings.special_ops_per_s
    if simple is not None:
        found["fp32"] = work.simple_ops / simple * MILLI
    if special is not None:
        both = special + (simple or 0.0) / POLYNOMIAL_OPS
        found["special functions"] = work.special_ops / both * MILLI
    if ceilings.node_ms is not None:
        found["latency"] = ceilings.node_ms
    return found


def fraction(bound_ms: float, latency_ms: float) -> float:
    """The bound fraction: 1 is the speed of light, 0.5 takes twice as long."""
    return bound_ms / latency_ms


def matrix_rate(dtype: str, ceilings: Ceilings) -> float | None:
    """The best rate for operands of this dtype, which may as well be widened first.

    None where neither it nor a wider one was measured.
    """
    width = WIDTHS.get(dtype, 0)
    wide = [r for d, r in ceilings.matrix_flops_per_s.items() if WIDTHS.get(d, 0) >= width]
    return max(wide, default=None)


def beyond_light(duel: Duel, bounds: Mapping[str, Bound]) -> str:
    """A workload on which the candidate was faster than anything can be, or nothing."""
    for workload, known in bounds.items():
        times_ms = _latencies_ms(duel, workload, known.limit_calls)
        if times_ms and median(times_ms) < known.limit_ms:
            return (
                f"A call took {_shown(median(times_ms))} on workload {workload!r}, and this device "
                f"needs at least {_shown(known.limit_ms)} for it (the bound is "
                f"{_shown(known.bound_ms)}, {known.resource}): work was skipped, or the clock was "
                "fooled."
            )
    return ""


def _latencies_ms(duel: Duel, workload: str, calls: int) -> list[float]:
    """The candidate's median time of a call in each process pair with blocks this long."""
    return [
        median(timing.candidate_ms)
        for pair in duel.pairs
        for timing in pair.workloads
        if timing.workload == workload and timing.calls >= calls and usable(timing)
    ]


def _memory_ms(work: Work, ceilings: Ceilings) -> float:
    """Reads and writes that pair up at the rate of a copy, the rest at its own; one bus for all.

    What may stay in the cache moves at the cached rate, where that is the better one.
    """
    rates = ceilings.bytes_per_s
    best = _best_bandwidth(ceilings)
    paired = min(work.read_bytes, work.written_bytes)
    rest = max(work.read_bytes, work.written_bytes) - paired
    one_way = "read" if work.read_bytes > work.written_bytes else "write"
    seconds = 2 * paired / rates.get("copy", best) + rest / rates.get(one_way, best)
    total = work.read_bytes + work.written_bytes
    if total <= ceilings.cache_bytes and not ceilings.cold:
        seconds = min(seconds, total / rates.get("cached copy", best))
    return seconds * MILLI


def _best_bandwidth(ceilings: Ceilings) -> float:
    """The best rate of memory in any pattern."""
    rates = [ceilings.bytes_per_s[p] for p in MEMORY_PATTERNS if p in ceilings.bytes_per_s]
    return max(rates, default=math.inf)


def _limit(work: Work, ceilings: Ceilings) -> tuple[float, int]:
    """The time that no honest call can beat, milliseconds, and in how many calls it shows.

    A cache that writes back may keep so much of the writes as it holds, so only what is beyond
    that counts, and all of it at the best rate of any pattern. A product may take a narrower
    dtype than its operands have, so it is counted at the best rate of all.
    """
    if not ceilings.cold:
        return 0.0, 0
    bytes_ms, flops_ms, calls = 0.0, 0.0, 0
    if work.needs_bytes and work.read_bytes:
        beyond = max(0, work.written_bytes - ceilings.cache_bytes)
        bytes_ms = (work.read_bytes + beyond) / _best_bandwidth(ceilings) * MILLI
        calls = math.ceil(ceilings.cache_bytes / (CACHED * work.read_bytes))
    if work.needs_flops and ceilings.matrix_flops_per_s:
        flops = sum(work.matrix_flops.values()) * FAST_PRODUCT
        flops_ms = flops / max(ceilings.matrix_flops_per_s.values()) * MILLI
    return max(bytes_ms, flops_ms) * BELIEVED, calls if bytes_ms > flops_ms else 0


def _shown(milliseconds: float) -> str:
    return f"{milliseconds * 1e3:.4g} us"
