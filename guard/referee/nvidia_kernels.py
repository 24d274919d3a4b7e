"""Kernels of the referee's own on an NVIDIA GPU, compiled by NVRTC where that is installed.

    source file × names -> launches by name, on torch's current stream

Start at `compiled`. Not here: what they are for (`looks`, `ceilings_nvidia`).
"""

import ctypes
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from guard.compile import has_nvrtc

BLOCK_THREADS = 256

Grid = int | tuple[int, int]


class OwnKernel:
    """One kernel; pointers are Python integers, other arguments of a `ctypes` type."""

    def __init__(self, code: Any, name: str) -> None:
        self._driver: Any = import_module("cuda.bindings.driver")
        self._kernel = code.get_kernel(name)
        # The code must outlive its kernels.
        self._code = code
        self._function = self._driver.CUfunction(int(self._kernel.handle))

    def __call__(self, grid: Grid, *arguments: object) -> None:
        """Queue so many thread blocks of `BLOCK_THREADS` threads."""
        self.ready(grid, *arguments)()

    def ready(self, grid: Grid, *arguments: object) -> Callable[[], None]:
        """Make that ready, so that queueing it takes some microseconds."""
        driver, function = self._driver, self._function
        config = driver.CUlaunchConfig()
        columns, rows = grid if isinstance(grid, tuple) else (grid, 1)
        config.gridDimX, config.gridDimY, config.gridDimZ = columns, rows, 1
        config.blockDimX, config.blockDimY, config.blockDimZ = BLOCK_THREADS, 1, 1
        values: list[Any] = [ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments]
        # An array of one at least: a kernel may take nothing.
        pointers = (ctypes.c_void_p * max(1, len(values)))(*map(ctypes.addressof, values))

        def launch(keep: object = values) -> None:
            config.hStream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
            (status,) = driver.cuLaunchKernelEx(config, function, ctypes.addressof(pointers), 0)
            if status != 0:
                raise RuntimeError(f"launching {self._kernel} failed: {status.name}")

        return launch


@lru_cache(maxsize=8)
def compiled(source: Path, names: tuple[str, ...]) -> Mapping[str, OwnKernel] | None:
    """The kernels of this file by name, or None where they cannot be compiled."""
    if not find_spec("cuda") or not find_spec("cuda.core") or not has_nvrtc():
        return None
    core: Any = import_module("cuda.core")
    torch.zeros(1, device="cuda")
    device = core.Device(torch.cuda.current_device())
    device.set_current()
    options = core.ProgramOptions(arch=f"sm_{device.arch}", std="c++17", no_cache=True)
    code = core.Program(source.read_text(), "c++", options).compile("cubin")
    return {name: OwnKernel(code, name) for name in names}
