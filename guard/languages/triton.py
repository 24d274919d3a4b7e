"""Triton: a Python source with `@triton.jit` kernels, launched by a function of it or by a plan.

With a launch plan the kernels are compiled ahead, in a builder, and a GPU's runner sees cubins
alone. Without one, the source's entry function launches them, compiled just in time, in the runner.
On a CPU Triton's interpreter runs either: that verifies, but says nothing about time. Must never
import triton before the interpreter is chosen: its library reads the choice once.
"""

import ast
import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from guard import code_digest, python_source, triton_ahead, triton_warm
from guard.cubin import CubinKernel
from guard.cubin_limits import read_built
from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan, Solution
from guard.domain.trace import CompileReport
from guard.launch_check import check_triton_plan
from guard.ports import Artifact, Kernel
from guard.triton_interpreted import InterpretedPlan
from guard.triton_plan import RECORD, Record, cubin_name, identity, lay_out

UNLISTED = (
    "Compiled at the first call, so there is no machine code to read; with a launch plan, kernels "
    "are compiled ahead for a GPU and can be read."
)


class Triton:
    """The language `triton`."""

    name = "triton"
    suffix = ".triton.py"
    compiles_at_call = True
    summary = (
        "Python with @triton.jit kernels: `def run(inputs…, outputs…)` launches them on the "
        "current stream, or a `launch_plan` (JSON) does, compiled ahead."
    )

    def unavailable(self) -> str | None:
        """Triton and torch must be installed."""
        missing = [name for name in ("torch", "triton") if not find_spec(name)]
        return f"{' and '.join(missing)} not installed" if missing else None

    def warm(self, device_kind: str) -> None:
        """What the just-in-time compiler does in each process before its first kernel."""
        if device_kind == "nvidia" and not self.unavailable():
            triton_warm.warm()

    def runs_on(self, device_kind: str) -> str | None:
        """On NVIDIA GPUs, and on CPUs by the interpreter."""
        return None

    def timed_on(self, device_kind: str) -> str | None:
        """Not on a CPU: an interpreter's time means nothing."""
        if device_kind == "cpu":
            return "Triton runs by its interpreter on a CPU: verified, never timed"
        return None

    def check(self, solution: Solution) -> None:
        """No options; with a launch plan, one that can be compiled ahead."""
        python_source.check(solution)
        if solution.launch_plan is None:
            return
        check_triton_plan(solution.launch_plan)
        if not solution.destination_passing_style:
            raise MalformedSolution(
                "destination_passing_style", "a launch plan writes its outputs; set it to true"
            )

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Check the syntax; with a launch plan and for a GPU, compile every kernel of it.

        Otherwise kernels are compiled just in time, at the first call.
        """
        artifact = python_source.compile_python(solution)
        if artifact.report.ok and not any(_imports_triton(s.content) for s in solution.sources):
            message = "No file imports triton; for plain PyTorch use the language 'pytorch'."
            return Artifact(CompileReport(ok=False, messages=message))
        if artifact.report.ok and solution.launch_plan and architecture.startswith("sm_"):
            return triton_ahead.build(solution, solution.launch_plan, architecture, scratch)
        report = artifact.report.model_copy(update={"unlisted": UNLISTED})
        return Artifact(report, artifact.files)

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """Of the cubins and the launch plan; none where kernels are compiled at the call."""
        if solution.launch_plan is None or RECORD not in files:
            return ""
        return code_digest.digest((self.name.encode(), *identity(solution.launch_plan, files)))

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Take the cubins; or choose interpreter or GPU, and run the source as a module."""
        torch: Any = import_module("torch")
        on_gpu = torch.cuda.is_available()
        if solution.launch_plan and on_gpu:
            return _sealed(solution.launch_plan, scratch)
        python_source.use_scratch(scratch)
        triton_warm.seed(Path(os.environ["TRITON_CACHE_DIR"]))
        # A runner of a CPU device sees no GPU, even on a host that has one.
        os.environ["TRITON_INTERPRET"] = "0" if on_gpu else "1"
        if solution.launch_plan:
            module = python_source.load_module(solution, scratch)
            return InterpretedPlan(solution.launch_plan, module)
        return python_source.load_kernel(solution, scratch)


def _sealed(plan: LaunchPlan, scratch: Path) -> Kernel:
    """What a builder compiled, and nothing else of the candidate."""
    core: Any = import_module("cuda.core")
    try:
        record = Record.model_validate_json(read_built(scratch / RECORD))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        reason = f"the build left a record that cannot be read ({first['msg']})"
        raise MalformedSolution("launch_plan", reason) from error
    names = [cubin_name(number) for number in range(len(record.kernels))]
    codes = {name: core.ObjectCode.from_cubin(read_built(scratch / name)) for name in names}
    return CubinKernel(partial(lay_out, plan, record), codes)


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
