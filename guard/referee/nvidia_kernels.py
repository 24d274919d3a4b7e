"""Kernels of the referee's own on an NVIDIA GPU, compiled by NVRTC where that is installed.

    source file × names -> launches by name, on torch's current stream

Start at `compiled`. Not here: what they are for (`looks`, `ceilings_nvidia`).
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import torch

from guard.compile import has_nvrtc

BLOCK_THREADS = 256


class Launch(Protocol):
    """Queue one kernel; pointers are Python integers, other numbers of a `ctypes` type."""

    def __call__(self, grid: int | tuple[int, int], *arguments: object) -> None:
        """So many thread blocks of `BLOCK_THREADS` threads."""
        ...


@lru_cache(maxsize=8)
def compiled(source: Path, names: tuple[str, ...]) -> Mapping[str, Launch] | None:
    """The kernels of this file by name, or None where they cannot be compiled."""
    if not find_spec("cuda") or not find_spec("cuda.core") or not has_nvrtc():
        return None
    core: Any = import_module("cuda.core")
    torch.zeros(1, device="cuda")
    device = core.Device(torch.cuda.current_device())
    device.set_current()
    options = core.ProgramOptions(arch=f"sm_{device.arch}", std="c++17", no_cache=True)
    code = core.Program(source.read_text(), "c++", options).compile("cubin")
    return {name: _launcher(core, code, name) for name in names}


def _launcher(core: Any, code: Any, name: str) -> Launch:
    # The code must outlive its kernels.
    held = (code, code.get_kernel(name))

    def launch(grid: int | tuple[int, int], *arguments: object) -> None:
        stream = core.Stream.from_handle(torch.cuda.current_stream().cuda_stream)
        config = core.LaunchConfig(grid=grid, block=BLOCK_THREADS)
        core.launch(stream, config, held[1], *arguments)

    return launch
