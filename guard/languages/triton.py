"""Triton: a Python source with `@triton.jit` kernels and an entry function that launches them.

On an NVIDIA GPU it is compiled just in time, in the runner. On a CPU Triton's interpreter runs it:
that verifies, but says nothing about time. Must never import triton before the interpreter is
chosen: its library reads the choice once.
"""

import ast
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guard import python_source
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.ports import Artifact, Kernel


class Triton:
    """The language `triton`."""

    name = "triton"
    suffix = ".triton.py"
    compiles_at_call = True
    summary = (
        "Python with @triton.jit kernels: `def run(inputs…, outputs…)` launches them on the "
        "current stream."
    )

    def unavailable(self) -> str | None:
        """Triton and torch must be installed."""
        missing = [name for name in ("torch", "triton") if not find_spec(name)]
        return f"{' and '.join(missing)} not installed" if missing else None

    def runs_on(self, device_kind: str) -> str | None:
        """On NVIDIA GPUs, and on CPUs by the interpreter."""
        return None

    def timed_on(self, device_kind: str) -> str | None:
        """Not on a CPU: an interpreter's time means nothing."""
        if device_kind == "cpu":
            return "Triton runs by its interpreter on a CPU: verified, never timed"
        return None

    def check(self, solution: Solution) -> None:
        """No options, no launch plan."""
        python_source.check(solution)

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Check the syntax; kernels are compiled just in time, at the first call."""
        artifact = python_source.compile_python(solution)
        if artifact.report.ok and not any(_imports_triton(s.content) for s in solution.sources):
            message = "No file imports triton; for plain PyTorch use the language 'pytorch'."
            return Artifact(CompileReport(ok=False, messages=message))
        return artifact

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Choose interpreter or GPU, then run the source as a module."""
        python_source.use_scratch(scratch)
        torch: Any = import_module("torch")
        # A runner of a CPU device sees no GPU, even on a host that has one.
        os.environ["TRITON_INTERPRET"] = "0" if torch.cuda.is_available() else "1"
        function = python_source.load_function(solution, scratch)
        return python_source.PythonKernel(function, solution.destination_passing_style)


def _imports_triton(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.split(".")[0] == "triton" for name in names):
            return True
    return False


LANGUAGE = Triton()
