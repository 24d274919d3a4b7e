"""The ceilings of an NVIDIA GPU: the best of several replays of recorded calls. A few seconds.

Operands are random, since a GPU multiplies zeros at less power and so faster. What needs a kernel
of its own is compiled by NVRTC where that is installed; otherwise those figures are left out, and
so are the resources that they would bound. Start at `measured`. Not here: when it is asked for,
and where figures are kept (`ceilings`).
"""

import ctypes
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from guard.domain.bound import Ceilings
from guard.referee.nvidia_kernels import BLOCK_THREADS, OwnKernel, compiled

SOURCE = Path(__file__).parent / "ceilings.cu"
NAMES = ("empty", "read_all", "multiply_add", "exponentials")
MEMORY_BYTES = 4 * 2**30
"""Of one buffer: what the cache keeps from one pass to the next makes a small share of it."""
MEMORY_SHARE = 8
"""A buffer takes at most one part in so many of the free memory."""
EDGES = {
    "float64": (4096,),
    "float32": (4096, 8192),
    "float16": (2048, 4096, 8192),
    "bfloat16": (2048, 4096, 8192),
}
"""Rows and columns of square products, by dtype."""
FLOAT8_EDGES = (4096, 8192)
REPEATS = 5
BIG_CALLS, SMALL_CALLS, TINY_CALLS = 4, 64, 1000
BLOCKS_PER_SM = 8
ROUNDS, CHAINS = 4096, 8
"""Of the arithmetic kernels; the chains are those of ceilings.cu."""


def measured(identity: dict[str, str]) -> Ceilings:
    """Measure them all, and give the memory back."""
    properties = torch.cuda.get_device_properties(0)
    kernels = compiled(SOURCE, NAMES)
    best: dict[str, float] = {}
    if kernels is not None:
        best = _latencies(kernels) | _arithmetic(kernels, properties.multi_processor_count)
    found = Ceilings(
        identity=identity,
        bytes_per_s=_bandwidths(kernels, properties),
        matrix_flops_per_s=_matrix_rates(),
        cache_bytes=properties.L2_cache_size,
        cold=True,
        **best,
    )
    torch.cuda.empty_cache()
    return found


def replayed_s(call: Callable[[], object], calls: int) -> float:
    """The time of one of several recorded calls, in the fastest replay, seconds."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    graph.replay()
    return _best_s(graph.replay) / calls


def _best_s(work: Callable[[], object]) -> float:
    took_ms = []
    for _ in range(REPEATS):
        start, end = _event(), _event()
        start.record()
        work()
        end.record()
        end.synchronize()
        took_ms.append(float(start.elapsed_time(end)))
    return min(took_ms) / 1e3


def _event() -> Any:
    event: Any = torch.cuda.Event
    return event(enable_timing=True)


def _latencies(kernels: Mapping[str, OwnKernel]) -> dict[str, float]:
    def empty() -> None:
        kernels["empty"](1)

    def launched() -> None:
        for _ in range(TINY_CALLS):
            empty()

    launched()
    torch.cuda.synchronize()
    return {
        "node_ms": replayed_s(empty, TINY_CALLS) * 1e3,
        "launch_ms": _best_s(launched) / TINY_CALLS * 1e3,
    }


def _arithmetic(kernels: Mapping[str, OwnKernel], processors: int) -> dict[str, float]:
    blocks = processors * BLOCKS_PER_SM
    operations = blocks * BLOCK_THREADS * ROUNDS * CHAINS
    sink = torch.zeros(1, device="cuda")
    tail = (ctypes.c_int(ROUNDS), int(sink.data_ptr()))

    def rate(name: str) -> float:
        near_one = (ctypes.c_float(0.999), ctypes.c_float(0.001))
        return operations / replayed_s(lambda: kernels[name](blocks, *near_one, *tail), BIG_CALLS)

    # A fused multiply-add is two operations.
    return {
        "simple_ops_per_s": 2 * rate("multiply_add"),
        "special_ops_per_s": rate("exponentials"),
    }


def _bandwidths(kernels: Mapping[str, OwnKernel] | None, properties: Any) -> dict[str, float]:
    free_bytes, _ = torch.cuda.mem_get_info()
    size = min(MEMORY_BYTES, free_bytes // MEMORY_SHARE) // 2**20 * 2**20
    source = torch.empty(size // 4, dtype=torch.float32, device="cuda").normal_()
    target = torch.empty_like(source)
    near = source[: properties.L2_cache_size // 8 // 4]
    other = torch.empty_like(near)
    cached_s = replayed_s(lambda: torch.neg(near, out=other), SMALL_CALLS)
    found = {
        "read": size / replayed_s(source.sum, BIG_CALLS),
        "write": size / replayed_s(lambda: target.fill_(2.0), BIG_CALLS),
        # By a kernel: a recorded copy may go through a copy engine, at two thirds of the speed.
        "copy": 2 * size / replayed_s(lambda: torch.neg(source, out=target), BIG_CALLS),
        "cached copy": 2 * near.nbytes / cached_s,
    }
    if kernels is not None:
        sink = torch.zeros(1, dtype=torch.int32, device="cuda")
        arguments = (int(source.data_ptr()), size // 16, int(sink.data_ptr()))
        blocks = properties.multi_processor_count * BLOCKS_PER_SM
        read_s = replayed_s(lambda: kernels["read_all"](blocks, *arguments), BIG_CALLS)
        found["read"] = max(found["read"], size / read_s)
    return found


def _matrix_rates() -> dict[str, float]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        rates = {n: max(_matrix_rate(n, edge) for edge in edges) for n, edges in EDGES.items()}
    finally:
        torch.set_float32_matmul_precision(before)
    # Below compute capability 8.9 there is no such path.
    if torch.cuda.get_device_capability() >= (8, 9):
        rates["float8_e4m3fn"] = max(map(_float8_rate, FLOAT8_EDGES))
    return rates


def _matrix_rate(name: str, edge: int) -> float:
    dtype = getattr(torch, name)
    a, b = (torch.randn(edge, edge, device="cuda").to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    return 2 * edge**3 / replayed_s(lambda: torch.mm(a, b.t(), out=out), BIG_CALLS)


def _float8_rate(edge: int) -> float:
    a, b = (torch.randn(edge, edge, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")

    def product() -> object:
        return torch._scaled_mm(
            a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )

    return 2 * edge**3 / replayed_s(product, BIG_CALLS)
