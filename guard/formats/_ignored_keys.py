"""Say which keys of a problem's files have no effect, above all the misspelt ones.

SOL-ExecBench's reader ignores keys that it does not know, and so does ours: results must not
differ. But a tolerance that silently does not apply is a trap, so each is reported once.

Start at `of_definition` and `of_workloads`. Not here: refusing anything (`sol_execbench`).
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

from guard.domain.problem import (
    ConstAxis,
    CustomInput,
    Definition,
    ExprAxis,
    RandomInput,
    SafetensorsInput,
    ScalarInput,
    TensorSpec,
    Tolerance,
    VarAxis,
    Workload,
)

_AXES: dict[str, type[BaseModel]] = {"const": ConstAxis, "var": VarAxis, "expr": ExprAxis}
_SOURCES: dict[str, type[BaseModel]] = {
    "random": RandomInput, "scalar": ScalarInput, "safetensors": SafetensorsInput,
    "custom": CustomInput,
}  # fmt: skip


def of_definition(raw: Mapping[str, Any], file: str) -> Iterator[str]:
    """One sentence per key of a valid definition that has no effect."""
    for key in _unknown(raw, Definition):
        if key == "constraints":
            yield f"{file}: `constraints` is ignored, as in SOL-ExecBench; nothing checks it."
        else:
            yield _sentence(file, key, Definition)
    for name, axis in raw["axes"].items():
        for key in _unknown(axis, _AXES[axis["type"]]):
            yield _sentence(file, f"axes.{name}.{key}", _AXES[axis["type"]])
    for group in ("inputs", "outputs"):
        for name, spec in raw[group].items():
            for key in _unknown(spec, TensorSpec):
                yield _sentence(file, f"{group}.{name}.{key}", TensorSpec)


def of_workloads(lines: Iterable[tuple[int, Mapping[str, Any]]], file: str) -> Iterator[str]:
    """One sentence per key that has no effect, with the first line and how many hold it."""
    found: dict[tuple[str, type[BaseModel]], list[int]] = {}
    for number, raw in lines:
        for key, model in _of_workload(raw):
            found.setdefault((key, model), []).append(number)
    for (key, model), numbers in found.items():
        where = f"{file}:{numbers[0]}"
        if len(numbers) > 1:
            where += f" and {len(numbers) - 1} more lines"
        yield _sentence(where, key, model)


def _of_workload(raw: Mapping[str, Any]) -> Iterator[tuple[str, type[BaseModel]]]:
    for key in _unknown(raw, Workload):
        yield key, Workload
    for key in _unknown(raw.get("tolerance", {}), Tolerance):
        yield f"tolerance.{key}", Tolerance
    for name, source in raw["inputs"].items():
        for key in _unknown(source, _SOURCES[source["type"]]):
            yield f"inputs.{name}.{key}", _SOURCES[source["type"]]


def _unknown(raw: Mapping[str, Any], model: type[BaseModel]) -> list[str]:
    return [key for key in raw if key not in model.model_fields]


def _sentence(where: str, field: str, model: type[BaseModel]) -> str:
    key = field.rpartition(".")[2]
    near = get_close_matches(key, model.model_fields, n=1, cutoff=0.8)
    if not near:
        return f"{where}: `{field}` is ignored: no such key."
    known = model.model_fields[near[0]]
    default = "" if known.is_required() else f", so {near[0]} {known.default} applies"
    return f"{where}: `{field}` is ignored: the key is `{near[0]}`{default}."
