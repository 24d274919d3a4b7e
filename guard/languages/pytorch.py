"""PyTorch: a Python source whose entry function uses torch. Runs on every device.

Compiling only parses; the source first runs in a runner. Must never import torch itself.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from guard import python_source
from guard.domain.errors import MalformedSolution
from guard.domain.solution import Solution
from guard.ports import Artifact, Kernel


class PyTorch:
    """The language `pytorch`."""

    name = "pytorch"
    suffix = ".py"
    compiles_at_call = True
    summary = (
        "Python with torch: `def run(inputs…, outputs…)` fills the outputs, or returns them "
        "in return style."
    )

    def unavailable(self) -> str | None:
        """Torch must be installed."""
        return None if find_spec("torch") else "torch is not installed"

    def warm(self, device_kind: str) -> None:
        """Nothing: a device imports torch."""

    def runs_on(self, device_kind: str) -> str | None:
        """Everywhere."""
        return None

    def timed_on(self, device_kind: str) -> str | None:
        """Everywhere."""
        return None

    def check(self, solution: Solution) -> None:
        """No options, no launch plan."""
        python_source.check(solution)
        if solution.launch_plan is not None:
            raise MalformedSolution("launch_plan", "only languages 'cuda' and 'triton' have one")

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Check the syntax."""
        return python_source.compile_python(solution)

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """None: nothing is compiled ahead."""
        return ""

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Run the source as a module and take its functions."""
        python_source.use_scratch(scratch)
        return python_source.load_kernel(solution, scratch)


LANGUAGE = PyTorch()
