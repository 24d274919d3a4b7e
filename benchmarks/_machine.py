"""The machine that a benchmark ran on: without it a figure means nothing.

Start at `machine`. Imports neither torch nor a driver's context.
"""

import os
import platform
from importlib import metadata

from guard import plugins
from guard.domain.value import Value

LIBRARIES = ("torch", "triton", "cuda-core", "cuda-bindings", "mcp", "uvicorn")


class Machine(Value):
    """Processor, GPUs and versions."""

    processor: str
    cores: int
    """Those that this process may use."""
    load: float
    """Processes that were running or waiting over the minute before."""
    gpus: tuple[str, ...]
    """Product and driver of each."""
    kernel: str
    versions: dict[str, str]

    def line(self) -> str:
        """All of it in one line."""
        gpus = ", ".join(self.gpus) or "no GPU"
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            f"{self.processor}, {self.cores} cores, load {self.load:.1f} at the start; {gpus}; "
            f"{self.kernel}; {versions}"
        )


def machine() -> Machine:
    """Look at this host."""
    devices = plugins.load("devices")
    return Machine(
        processor=devices["cpu"].found()[0].hardware,
        cores=len(os.sched_getaffinity(0)),
        load=os.getloadavg()[0],
        gpus=tuple(
            f"{gpu.hardware}, driver {gpu.facts['driver']}" for gpu in devices["nvidia"].found()
        ),
        kernel=f"{platform.system()} {platform.release()}",
        versions=_versions(),
    )


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
