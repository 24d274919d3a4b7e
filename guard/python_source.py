"""Python solutions: check the syntax, load the module, bind its entry function.

`check` and `compile_python` never run the source; `load_kernel` does, so it belongs in a runner.

Start at `load_kernel`, then `PythonKernel`. Used by the languages `pytorch` and `triton`.
"""

import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

from guard.compile import check_sources, clean
from guard.domain.errors import MalformedSolution
from guard.domain.problem import PREPARE
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.ports import Artifact, Call

MODULE_NAME = "candidate"


def check(solution: Solution) -> None:
    """Refuse what a Python solution cannot have.

    Raises:
        MalformedSolution: the field and the reason.
    """
    check_sources(solution)
    if not solution.sources[0].path.endswith(".py"):
        raise MalformedSolution("sources", "the entry file's name must end in .py")
    if solution.options:
        raise MalformedSolution("options", "a Python source takes no compiler options")


def compile_python(solution: Solution) -> Artifact:
    """Parse every Python file; nothing is run."""
    started = monotonic()
    messages: list[str] = []
    ok = True
    for source in solution.sources:
        if source.path.endswith(".py"):
            error = _syntax(source.path, source.content, messages)
            ok = ok and error is None
            messages += [error] if error else []
    report = CompileReport(
        ok=ok, messages=clean("\n".join(messages)), duration_s=monotonic() - started
    )
    files = {source.path: source.content.encode() for source in solution.sources} if ok else {}
    return Artifact(report, files)


def _syntax(path: str, content: str, notes: list[str]) -> str | None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(content, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            return "".join(traceback.format_exception_only(error))
        except (ValueError, RecursionError, MemoryError) as error:
            return f"{path}: {error or type(error).__name__}"
    notes += [f"{path}, line {w.lineno}: {w.message}" for w in caught]
    return None


def use_scratch(scratch: Path) -> None:
    """Point this process's temporary files and compile caches below `scratch`."""
    folders = {
        "TMPDIR": scratch / "tmp",
        "TRITON_CACHE_DIR": scratch / "cache" / "triton",
        "TORCHINDUCTOR_CACHE_DIR": scratch / "cache" / "inductor",
    }
    for name, folder in folders.items():
        folder.mkdir(parents=True, exist_ok=True)
        os.environ[name] = str(folder)
    # The zygote may have asked before, and the answer is remembered.
    tempfile.tempdir = str(folders["TMPDIR"])


def load_module(solution: Solution, scratch: Path) -> ModuleType:
    """Run the entry file as a module.

    It is loaded from a file, so that tracebacks and `inspect` show its lines.
    """
    path = scratch / solution.sources[0].path
    sys.path.insert(0, str(path.parent))
    spec = spec_from_file_location(MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise MalformedSolution("sources", f"{path.name!r} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[MODULE_NAME] = module
    spec.loader.exec_module(module)
    return module


def load_kernel(solution: Solution, scratch: Path) -> "PythonKernel":
    """Run the entry file as a module; its entry function, and its `prepare` where it has one.

    Raises:
        MalformedSolution: there is no such function.
    """
    module = load_module(solution, scratch)
    function = getattr(module, solution.entry_point, None)
    if not callable(function):
        raise MalformedSolution("entry_point", _missing(solution, module))
    passes = solution.destination_passing_style
    return PythonKernel(function, passes, getattr(module, PREPARE, None))


def _missing(solution: Solution, module: ModuleType) -> str:
    local = (
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", None) == MODULE_NAME
    )
    listed = ", ".join(sorted(local)) or "none"
    wanted = solution.entry_point
    return f"{solution.sources[0].path} defines no function {wanted!r}; it defines: {listed}"


@dataclass(frozen=True)
class PythonKernel:
    """A loaded Python function."""

    function: Callable[..., Any]
    destination_passing_style: bool
    preparation: Callable[..., Any] | None = None
    """What prepares the constant inputs of a problem that has some."""
    prepared: tuple[Any, ...] = ()
    """Tensors that come between the inputs and the outputs."""

    def prepare(self, constants: Sequence[Any], axes: Mapping[str, int]) -> "PythonKernel | None":
        """Give the function what its module prepared, in the place of these inputs."""
        if self.preparation is None:
            return None
        made = self.preparation(*constants)
        return replace(self, prepared=_tensors(made))

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Fix the arguments: inputs, what was prepared, and (destination passing) outputs.

        In return style the call gives what the function returned, untouched: the runner puts it
        in output order.
        """
        function = self.function
        arguments = (*inputs, *self.prepared, *outputs)

        def write() -> None:
            # What it returns is ignored: only the outputs count.
            function(*arguments)

        return write if self.destination_passing_style else partial(function, *arguments)


def _tensors(made: Any) -> tuple[Any, ...]:
    import torch

    found = tuple(made) if isinstance(made, (tuple, list)) else (made,)
    for one in found:
        if not isinstance(one, torch.Tensor):
            kind = type(one).__name__
            raise TypeError(f"prepare returns a tensor or a tuple of tensors, not a {kind}")
    return found
