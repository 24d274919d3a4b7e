"""What NVIDIA's management library tells of one GPU: a thin reading, which never sets anything.

A figure that a driver cannot tell, or does not let this process read, is none. Nothing is read
where a clock runs. Start at `conditions`; `compute_pids` tells who uses the GPU.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from guard.domain.conditions import NOTHING_TOLD, Conditions

REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
    0x100: "display clock",
    0x200: "board limit",
    0x400: "reliability limit",
}
"""The library's bits for what lowers a clock.

Left out: an idle GPU (0x1) and clocks that its operator set (0x2), which no load can exceed."""
NO_REASONS = 0x1 | 0x2


class Gpu(NamedTuple):
    """One GPU as the library knows it."""

    library: Any
    handle: Any


@functools.cache
def gpu(uuid: str) -> Gpu | None:
    """The GPU of this uuid, opened once for the life of the process; none: it is not told of."""
    import pynvml

    try:
        pynvml.nvmlInit()
        return Gpu(pynvml, pynvml.nvmlDeviceGetHandleByUUID(uuid))
    except pynvml.NVMLError:
        return None


def conditions(uuid: str) -> Conditions:
    """What the GPU says of itself now."""
    found = gpu(uuid)
    if found is None:
        return NOTHING_TOLD
    library, handle = found
    power_mw = told(found, lambda: library.nvmlDeviceGetPowerUsage(handle))
    return Conditions(
        sm_clock_mhz=told(
            found, lambda: library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_SM)
        ),
        power_w=None if power_mw is None else power_mw / 1000,
        temperature_c=told(
            found, lambda: library.nvmlDeviceGetTemperature(handle, library.NVML_TEMPERATURE_GPU)
        ),
        throttle_reasons=names(
            told(found, lambda: library.nvmlDeviceGetCurrentClocksThrottleReasons(handle)) or 0
        ),
    )


def compute_pids(uuid: str) -> frozenset[int]:
    """The processes that have a CUDA context on the GPU, as the driver numbers them."""
    found = gpu(uuid)
    if found is None:
        return frozenset()
    library, handle = found
    try:
        running = library.nvmlDeviceGetComputeRunningProcesses(handle)
    except library.NVMLError:
        return frozenset()
    return frozenset(int(process.pid) for process in running)


def told(found: Gpu, ask: Callable[[], int]) -> int | None:
    """A figure of the library, or none where it cannot tell it."""
    try:
        return ask()
    except found.library.NVMLError:
        return None


def names(mask: int) -> tuple[str, ...]:
    """The reasons in a mask; a bit that came with a later driver is named by its number."""
    bits = (1 << place for place in range(mask.bit_length()))
    return tuple(
        REASONS.get(bit, f"reason {bit:#x}") for bit in bits if mask & bit and not bit & NO_REASONS
    )
