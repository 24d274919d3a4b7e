"""Launch plans: from expressions and names to numbers. Pure functions, no device.

    LaunchPlan × names × axes -> Layout (grids, blocks, bytes, arguments) -> guard.languages.cuda

Start at `lay_out`. Must never touch a GPU or guess: whatever does not fit is refused by its field.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal

from guard.domain.errors import MalformedSolution
from guard.domain.expression import BadExpression, evaluate, names_in
from guard.domain.solution import KernelLaunch, LaunchPlan

Kind = Literal["pointer", "int32", "int64", "float32", "float64"]
Scalars = Mapping[str, bool | int | float]
Dims = tuple[int, int, int]

SIZE_BYTES: dict[Kind, int] = {"pointer": 8, "int32": 4, "int64": 8, "float32": 4, "float64": 8}
_INTEGERS: dict[str, Kind] = {"int32": "int32", "int64": "int64"}
_FLOATS: dict[str, Kind] = {"float32": "float32", "float64": "float64"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# CUDA's own limits, the same for every GPU since 2012.
MAX_GRID: Dims = (2**31 - 1, 65_535, 65_535)
MAX_BLOCK: Dims = (1024, 1024, 64)
MAX_BLOCK_THREADS = 1024
MAX_WORKSPACE_BYTES = 64 * 2**30


@dataclass(frozen=True)
class Argument:
    """One kernel argument: a number, or the name of a tensor or workspace."""

    kind: Kind
    value: int | float | str


@dataclass(frozen=True)
class Launch:
    """One kernel launch with every number known."""

    kernel: str
    grid: Dims
    block: Dims
    shared_bytes: int
    arguments: tuple[Argument, ...]

    @property
    def is_empty(self) -> bool:
        """No blocks: nothing to launch, which CUDA itself would refuse."""
        return 0 in self.grid


@dataclass(frozen=True)
class Layout:
    """A plan for one workload."""

    launches: tuple[Launch, ...]
    workspaces: Mapping[str, int]
    """Bytes by name."""


def check_plan(plan: LaunchPlan) -> None:
    """Check what can be checked before the definition is known: the syntax.

    Raises:
        MalformedSolution: the field and the reason.
    """
    for name, size in plan.workspaces.items():
        _check_expression(f"launch_plan.workspaces.{name}", size)
        if not _IDENTIFIER.fullmatch(name):
            raise MalformedSolution("launch_plan.workspaces", f"{name!r} is not an identifier")
    for i, launch in enumerate(plan.kernels):
        field = f"launch_plan.kernels[{i}]"
        if not _IDENTIFIER.fullmatch(launch.kernel):
            raise MalformedSolution(f"{field}.kernel", f"{launch.kernel!r} is not an identifier")
        for name, expressions in _expressions(launch):
            for expression in expressions:
                _check_expression(f"{field}.{name}", expression)
        for text in launch.arguments:
            _check_argument(f"{field}.arguments", text)


def _expressions(launch: KernelLaunch) -> Iterable[tuple[str, tuple[str, ...]]]:
    return (
        ("grid", launch.grid),
        ("block", launch.block),
        ("shared_bytes", (launch.shared_bytes,)),
    )


def _check_argument(field: str, text: str) -> None:
    kind, colon, rest = text.partition(":")
    if not colon:
        if not _IDENTIFIER.fullmatch(text):
            raise MalformedSolution(field, f"{text!r} is no name; write int32:EXPR for a number")
    elif kind in _INTEGERS:
        _check_expression(field, rest)
    elif kind not in _FLOATS:
        raise MalformedSolution(field, f"{text!r}: {kind!r} is no type; {_types()}")
    elif not _IDENTIFIER.fullmatch(rest.strip()) and _number(rest) is None:
        raise MalformedSolution(field, f"{text!r}: {rest!r} is neither a number nor a name")


def _check_expression(field: str, expression: str) -> None:
    try:
        names_in(expression)
    except BadExpression as error:
        raise MalformedSolution(field, str(error)) from error


def lay_out(
    plan: LaunchPlan, tensors: Collection[str], scalars: Scalars, axes: Mapping[str, int]
) -> Layout:
    """Give every expression its value and every name its meaning.

    `tensors` are the names of tensor inputs and of outputs; `scalars` the inputs that are numbers.
    A bare scalar is passed as float32.

    Raises:
        MalformedSolution: the field, and what it may be.
    """
    numbers = {**axes, **{n: int(v) for n, v in scalars.items() if float(v).is_integer()}}
    workspaces: dict[str, int] = {}
    for name, expression in plan.workspaces.items():
        field = f"launch_plan.workspaces.{name}"
        if name in tensors or name in scalars:
            raise MalformedSolution(field, "an input or output has this name")
        workspaces[name] = _within(field, _integer(field, expression, axes), MAX_WORKSPACE_BYTES)
    pointers = [*tensors, *workspaces]
    return Layout(
        launches=tuple(
            _launch(f"launch_plan.kernels[{i}]", launch, pointers, scalars, axes, numbers)
            for i, launch in enumerate(plan.kernels)
        ),
        workspaces=workspaces,
    )


def _launch(
    field: str,
    launch: KernelLaunch,
    pointers: Collection[str],
    scalars: Scalars,
    axes: Mapping[str, int],
    numbers: Mapping[str, int],
) -> Launch:
    block = _dims(f"{field}.block", launch.block, axes, MAX_BLOCK)
    if not 1 <= prod(block) <= MAX_BLOCK_THREADS:
        raise MalformedSolution(
            f"{field}.block", f"{prod(block)} threads; a block has 1 to {MAX_BLOCK_THREADS}"
        )
    shared = f"{field}.shared_bytes"
    return Launch(
        kernel=launch.kernel,
        grid=_dims(f"{field}.grid", launch.grid, axes, MAX_GRID),
        block=block,
        shared_bytes=_within(shared, _integer(shared, launch.shared_bytes, axes), 2**31 - 1),
        arguments=tuple(
            _argument(f"{field}.arguments[{j}]", text, pointers, scalars, numbers)
            for j, text in enumerate(launch.arguments)
        ),
    )


def _dims(field: str, expressions: tuple[str, ...], axes: Mapping[str, int], limits: Dims) -> Dims:
    padded = (*expressions, "1", "1")[:3]
    x, y, z = (
        _within(field, _integer(field, expression, axes), limit)
        for expression, limit in zip(padded, limits, strict=True)
    )
    return x, y, z


def _integer(field: str, expression: str, names: Mapping[str, int]) -> int:
    try:
        return evaluate(expression, names)
    except BadExpression as error:
        raise MalformedSolution(field, str(error)) from error


def _within(field: str, value: int, limit: int, least: int = 0) -> int:
    if not least <= value <= limit:
        raise MalformedSolution(field, f"{value} does not lie in {least} .. {limit}")
    return value


def _argument(
    field: str,
    text: str,
    pointers: Collection[str],
    scalars: Scalars,
    numbers: Mapping[str, int],
) -> Argument:
    kind, colon, rest = text.partition(":")
    if not colon:
        if text in pointers:
            return Argument("pointer", text)
        if text in scalars:
            return Argument("float32", float(scalars[text]))
        known = ", ".join([*pointers, *scalars])
        raise MalformedSolution(field, f"{text!r} names nothing here. Known: {known}; {_types()}")
    if kind in _INTEGERS:
        value = _integer(field, rest, numbers)
        bits = 31 if kind == "int32" else 63
        return Argument(_INTEGERS[kind], _within(field, value, 2**bits - 1, -(2**bits)))
    if kind in _FLOATS:
        return Argument(_FLOATS[kind], _float(field, rest.strip(), {**numbers, **scalars}))
    raise MalformedSolution(field, f"{kind!r} is no type; {_types()}")


def _float(field: str, text: str, names: Scalars) -> float:
    if text in names:
        return float(names[text])
    number = _number(text)
    if number is None:
        raise MalformedSolution(
            field, f"{text!r} is neither a number nor one of {', '.join(names) or 'no names'}"
        )
    return number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _types() -> str:
    return "numbers are written int32:EXPR, int64:EXPR, float32:NUMBER or float64:NUMBER"
