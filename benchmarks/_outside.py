"""The time of one call as others measure it, in this process, with a cold L2 cache.

    calls over rotating tensors -> events behind a flush | do_bench | CUPTI -> microseconds

For a GPU, and for kernels that are trusted: they run here. Tensors rotate over more memory than the
L2 cache holds three times; events and do_bench flush it besides. Start at `Rotation`, then
`events`, `do_bench` and `cupti`. Not here: our own clock (`guard.referee`).
"""

import importlib
import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from guard.domain.problem import Problem, TensorSpec, Workload, concrete_shape

CACHES = 3
"""How many times the tensors in rotation fill the L2 cache, at least."""
MOST_SETS = 256
FLUSHES = 4
"""How many times what is written between two calls fills it."""
WARM_UP = 20
CUPTI_BUFFER_BYTES = 8 * 2**20
CUPTI_FLUSH_FORCED = 1


class CannotCount(Exception):
    """The kernels seen are not a whole number for each call."""


class Span(NamedTuple):
    """One kernel on the device, microseconds."""

    start_us: float
    end_us: float


class Rotation:
    """A kernel with enough sets of arguments that none is still cached when its turn comes."""

    def __init__(self, file: Path, problem: Problem, workload: Workload) -> None:
        import torch

        self._run = _entry(file)
        self._next = 0
        first = _arguments(problem, workload)
        size = sum(each.nbytes for each in first if isinstance(each, torch.Tensor))
        cache = torch.cuda.get_device_properties(0).L2_cache_size
        count = min(MOST_SETS, 1 + math.ceil(CACHES * cache / size))
        self.sets = [first, *(_arguments(problem, workload) for _ in range(count - 1))]
        self.flushed_bytes = FLUSHES * cache

    def __call__(self) -> None:
        """Call it on the next set."""
        self._run(*self.sets[self._next])
        self._next = (self._next + 1) % len(self.sets)

    def warm_up(self) -> None:
        """Compile and load whatever the first calls compile and load."""
        import torch

        for _ in range(max(WARM_UP, len(self.sets))):
            self()
        torch.cuda.synchronize()


def events(kernel: Rotation, calls: int) -> float:
    """A pair of CUDA events around each call, behind a flush that hides the host's launching."""
    import torch

    cuda: Any = torch.cuda
    flushed = torch.empty(kernel.flushed_bytes, dtype=torch.int8, device="cuda")
    pairs = [[cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
    for start, end in pairs:
        flushed.zero_()
        start.record()
        kernel()
        end.record()
    torch.cuda.synchronize()
    return median(1e3 * float(start.elapsed_time(end)) for start, end in pairs)


def do_bench(kernel: Rotation) -> float:
    """Triton's own benchmark, at the median."""
    testing: Any = importlib.import_module("triton.testing")
    return 1e3 * float(testing.do_bench(kernel, return_mode="median"))


def cupti_source() -> str:
    """Where kernel times come from here: NVIDIA's bindings, or torch's profiler above CUPTI."""
    return "cupti-python" if _has_cupti() else "torch.profiler"


def cupti(kernel: Rotation, calls: int) -> float:
    """From the first kernel's start to the last one's end in each call, as CUPTI saw them."""
    seen = _by_cupti(kernel, calls) if _has_cupti() else _by_profiler(kernel, calls)
    return median(per_call(seen, calls))


def per_call(seen: Sequence[Span], calls: int) -> list[float]:
    """The time of each call, all of which launch as many kernels, microseconds.

    Raises:
        CannotCount: the kernels do not divide by the calls.
    """
    each, left = divmod(len(seen), calls)
    if not each or left:
        raise CannotCount(f"{len(seen)} kernels were seen in {calls} calls")
    ordered = sorted(seen)
    groups = [ordered[at : at + each] for at in range(0, len(ordered), each)]
    return [max(span.end_us for span in group) - group[0].start_us for group in groups]


def traced(trace: dict[str, Any]) -> list[Span]:
    """The kernels in a trace in Chrome's format, as torch's profiler writes it."""
    found = [e for e in trace.get("traceEvents", []) if e.get("cat") == "kernel"]
    return [Span(float(e["ts"]), float(e["ts"]) + float(e["dur"])) for e in found]


def _by_profiler(kernel: Rotation, calls: int) -> list[Span]:
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        _calls(kernel, calls)
        torch.cuda.synchronize()
    with TemporaryDirectory(prefix="kernelarc-trace-") as folder:
        file = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(file))
        return traced(json.loads(file.read_text("utf-8")))


def _by_cupti(kernel: Rotation, calls: int) -> list[Span]:
    import torch

    api, seen = _listening()
    torch.cuda.synchronize()
    seen.clear()
    api.activity_enable(api.ActivityKind.CONCURRENT_KERNEL)
    try:
        _calls(kernel, calls)
        torch.cuda.synchronize()
        api.activity_flush_all(CUPTI_FLUSH_FORCED)
    finally:
        api.activity_disable(api.ActivityKind.CONCURRENT_KERNEL)
    return list(seen)


@cache
def _listening() -> tuple[Any, list[Span]]:
    """NVIDIA's bindings, and the list that every kernel it sees is added to."""
    api: Any = importlib.import_module("cupti.cupti")
    seen: list[Span] = []

    def wanted() -> tuple[int, int]:
        # The second number limits the records of a buffer; 0: as many as fit.
        return CUPTI_BUFFER_BYTES, 0

    def filled(records: Sequence[Any]) -> None:
        # Only two fields are kept: a record may be gone once this returns.
        seen.extend(Span(each.start / 1e3, each.end / 1e3) for each in records)

    api.activity_register_callbacks(wanted, filled)
    return api, seen


def _calls(call: Callable[[], None], calls: int) -> None:
    for _ in range(calls):
        call()


def _has_cupti() -> bool:
    return find_spec("cupti") is not None and find_spec("cupti.cupti") is not None


def _arguments(problem: Problem, workload: Workload) -> list[Any]:
    """One set of inputs, then of outputs."""
    definition = problem.definition
    sizes = definition.resolve(workload.axes)
    inputs = [
        getattr(workload.inputs[name], "value", 0) if spec.shape is None else _tensor(spec, sizes)
        for name, spec in definition.inputs.items()
    ]
    return [*inputs, *(_tensor(spec, sizes) for spec in definition.outputs.values())]


def _tensor(spec: TensorSpec, sizes: dict[str, int]) -> Any:
    import torch

    shape = concrete_shape(spec, sizes)
    return torch.randn(shape, dtype=torch.float32, device="cuda").to(getattr(torch, spec.dtype))


def _entry(file: Path) -> Callable[..., None]:
    spec = spec_from_file_location(f"measured_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python source")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    run: Callable[..., None] = module.run
    return run
