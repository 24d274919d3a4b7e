"""SOL-ExecBench: ``definition.json`` and ``workload.jsonl``, with two files of our own beside them.

    definition.json  workload.jsonl  [workload.cpu.jsonl]  [baseline.py]  ->  Problem
    solution.json or a bare source file                                  ->  Solution

A folder written for SOL-ExecBench reads unchanged; keys that its reader ignores are ignored here
too, and said in `Problem.warnings`. Nothing in a folder is executed while it is read.

Start at `SolExecbench.read`. Not here: the rules within one object (`guard.domain.problem`), the
solution files (`_solution_file`).
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from guard.domain.errors import MalformedProblem
from guard.domain.expression import BadExpression
from guard.domain.problem import (
    CustomInput,
    Definition,
    Problem,
    RandomInput,
    SafetensorsInput,
    ScalarInput,
    TensorSpec,
    Workload,
)
from guard.domain.solution import MAX_SOURCE_BYTES, Solution
from guard.domain.trace import HIDDEN
from guard.formats import _ignored_keys, _solution_file
from guard.formats._strict_json import Unreadable, read_lines, read_object, read_text
from guard.plain import plain
from guard.stored_path import find

DEFINITION = "definition.json"
WORKLOADS = "workload.jsonl"
CPU_WORKLOADS = "workload.cpu.jsonl"
BASELINE = "baseline.py"
MAX_WORKLOADS = 4096
_Model = TypeVar("_Model", bound=BaseModel)


class SolExecbench:
    """The format `sol_execbench`."""

    name = "sol_execbench"

    def unavailable(self) -> str | None:
        """Always available."""
        return None

    def recognises(self, folder: Path) -> bool:
        """Whether the folder holds a definition and workloads."""
        return (folder / DEFINITION).is_file() and (folder / WORKLOADS).is_file()

    def read(self, folder: Path) -> Problem:
        """Read and check a problem folder.

        Raises:
            MalformedProblem: the file (with its line), the field and the reason.
        """
        folder = folder.resolve()
        raw = _readable(DEFINITION, lambda: read_object(folder / DEFINITION))
        definition = _validated(Definition, raw, DEFINITION)
        warnings = list(_ignored_keys.of_definition(raw, DEFINITION))
        sets = []
        for file, needed in ((WORKLOADS, True), (CPU_WORKLOADS, False)):
            workloads, notes = _read_workloads(folder, file, definition, needed=needed)
            sets.append(workloads)
            warnings += notes
        found = {
            "name": folder.name,
            "definition": definition,
            "workloads": sets[0],
            "cpu_workloads": sets[1],
            "baseline_source": _read_baseline(folder, definition),
            "folder": str(folder),
            "warnings": tuple(map(plain, warnings)),
        }
        # A folder's name is foreign text too: too long, or no text at all.
        return _validated(Problem, found, "folder")

    def solution(self, path: Path, problem: Problem, *, language: str = "") -> Solution:
        """Read a ``solution.json``, or a bare source file in `language` or as its name tells.

        Raises:
            MalformedSolution: the field and the reason.
            SourceTooLarge: the sources together exceed the limit.
        """
        if path.suffix == ".json":
            return _solution_file.read(path, problem.definition, language)
        return _solution_file.bare(path, problem.definition, language)


FORMAT = SolExecbench()


def _readable(file: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except Unreadable as error:
        raise MalformedProblem(_at(file, error.line), "file", error.reason) from error


def _at(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file


def _validated(model: type[_Model], raw: Mapping[str, Any], file: str) -> _Model:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        field = ".".join(str(part) for part in first["loc"])
        reason = str(first["msg"]).removeprefix("Value error, ")
        if not field:
            # A rule between fields names its field itself.
            field, _, reason = reason.partition(": ") if ": " in reason else ("object", "", reason)
        more = f" (and {len(others)} more)" if others else ""
        raise MalformedProblem(file, field, reason + more) from error
    except (RecursionError, MemoryError) as error:
        raise MalformedProblem(file, "reference", "is too deeply nested") from error


def _read_workloads(
    folder: Path, file: str, definition: Definition, *, needed: bool
) -> tuple[tuple[Workload, ...], list[str]]:
    if not needed and not (folder / file).exists():
        return (), []
    lines: list[tuple[int, dict[str, Any]]] = _readable(
        file, lambda: list(read_lines(folder / file))
    )
    if not 0 < len(lines) <= MAX_WORKLOADS:
        raise MalformedProblem(file, "file", f"has {len(lines)} workloads; 1 to {MAX_WORKLOADS}")
    first_line: dict[str, int] = {}
    workloads = []
    for number, raw in lines:
        workload = _validated(Workload, raw, _at(file, number))
        earlier = first_line.setdefault(workload.uuid, number)
        if earlier != number:
            reason = f"{workload.uuid!r} is line {earlier}'s already"
            raise MalformedProblem(_at(file, number), "uuid", reason)
        for field, reason in _misfits(workload, definition, folder):
            raise MalformedProblem(_at(file, number), field, reason)
        workloads.append(workload)
    return tuple(workloads), list(_ignored_keys.of_workloads(lines, file))


def _misfits(workload: Workload, definition: Definition, folder: Path) -> Iterator[tuple[str, str]]:
    """What does not fit between a workload and its definition: field and reason."""
    if workload.uuid.startswith(HIDDEN):
        yield "uuid", f"must not begin with {HIDDEN!r}: hidden shapes are named so"
    yield from _different("axes", workload.axes, dict.fromkeys(definition.var_axes))
    yield from _different("inputs", workload.inputs, definition.inputs)
    try:
        definition.resolve(workload.axes)
    except BadExpression as error:
        yield "axes", str(error)
    for name, spec in definition.inputs.items():
        reason = _source_misfit(workload.inputs[name], spec, definition, folder)
        if reason:
            yield f"inputs.{name}", reason


def _different(
    field: str, found: Mapping[str, Any], wanted: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    for name in wanted:
        if name not in found:
            yield f"{field}.{name}", "is missing"
    for name in found:
        if name not in wanted:
            known = ", ".join(wanted) or "none"
            yield f"{field}.{name}", f"is not one of the definition's: {known}"


def _source_misfit(
    source: RandomInput | ScalarInput | SafetensorsInput | CustomInput,
    spec: TensorSpec,
    definition: Definition,
    folder: Path,
) -> str:
    if isinstance(source, ScalarInput):
        return _scalar_misfit(source, spec)
    if isinstance(source, SafetensorsInput):
        return _stored_misfit(source, spec, folder)
    if isinstance(source, CustomInput) and definition.custom_inputs_entrypoint is None:
        return "is custom, but the definition names no custom_inputs_entrypoint"
    return ""


def _scalar_misfit(source: ScalarInput, spec: TensorSpec) -> str:
    if spec.shape is not None:
        return "is a scalar, but the definition's input has a shape"
    value = source.value
    if spec.dtype == "bool" and not isinstance(value, bool):
        return f"has value {value!r}, but dtype bool"
    if spec.dtype.startswith("int") and value != int(value):
        return f"has value {value!r}, but dtype {spec.dtype}"
    return ""


def _stored_misfit(source: SafetensorsInput, spec: TensorSpec, folder: Path) -> str:
    if spec.shape is None:
        return "is stored, but the definition's input is a scalar"
    try:
        found = find(folder, source.path)
    except ValueError as error:
        return f"path {source.path!r}: {error}"
    return "" if found else f"path {source.path!r}: no such file below the problem's folder"


def _read_baseline(folder: Path, definition: Definition) -> str:
    path = folder / BASELINE
    if not path.exists():
        return ""
    text: str = _readable(BASELINE, lambda: read_text(path, MAX_SOURCE_BYTES))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno or 0 if isinstance(error, SyntaxError) else 0
        raise MalformedProblem(_at(BASELINE, line), "file", f"does not parse: {error}") from error
    wanted = [*definition.inputs, *definition.outputs]
    found = _solution_file.parameters(tree, "run")
    if found != wanted:
        reason = f"must take the inputs, then the outputs: run({', '.join(wanted)})"
        raise MalformedProblem(BASELINE, "run", reason)
    return text
