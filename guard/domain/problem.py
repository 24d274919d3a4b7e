"""A problem: what is computed, what defines correct, and on which concrete inputs.

The fields and rules are SOL-ExecBench's (``definition.json`` and ``workload.jsonl``), so that a
folder written for it runs here unchanged.

    Definition × Workload -> axes -> concrete shapes

Start at `Problem`. Not here: reading folders (`guard.formats`), drawing inputs (`guard.referee`).
"""

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from guard.domain.expression import BadExpression, evaluate
from guard.domain.value import Finite, Value

Dtype = Literal[
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
    "float4_e2m1", "float4_e2m1fn_x2", "int64", "int32", "int16", "int8", "bool",
]  # fmt: skip
PREPARE = "prepare"
"""The function of a solution that takes the constant inputs, where it brings one."""
Name = Annotated[str, Field(min_length=1, max_length=128)]
AxisSize = Annotated[int, Field(ge=0, le=2**40)]


class Imported(Value):
    """A value read from a foreign file: unknown keys are ignored, as SOL-ExecBench does."""

    model_config = ConfigDict(extra="ignore")


class ConstAxis(Imported):
    """An axis with one size for every workload."""

    type: Literal["const"]
    value: AxisSize
    description: str = ""


class VarAxis(Imported):
    """An axis that each workload sets."""

    type: Literal["var"]
    closed: bool = False
    """Ours: only listed sizes occur, so no hidden neighbour has another one."""
    description: str = ""


class ExprAxis(Imported):
    """An axis computed from axes written before it."""

    type: Literal["expr"]
    expression: Name
    description: str = ""


Axis = Annotated[ConstAxis | VarAxis | ExprAxis, Field(discriminator="type")]


class TensorSpec(Imported):
    """One input or output."""

    shape: tuple[str, ...] | None
    """Axis names or decimal sizes; empty is a 0-D tensor, null a plain Python scalar."""
    dtype: Dtype
    description: str | None = None


class Definition(Imported):
    """The task: its interface and its reference implementation."""

    name: Name
    op_type: str | None = None
    description: str | None = None
    hf_id: str | None = None
    axes: dict[Name, Axis]
    custom_inputs_entrypoint: str | None = None
    """A top-level function of `reference` that draws all inputs, or null."""
    constant_inputs: tuple[Name, ...] = ()
    """Ours: inputs that many calls share, as weights are; a candidate may prepare them."""
    inputs: Annotated[dict[Name, TensorSpec], Field(min_length=1)]
    outputs: Annotated[dict[Name, TensorSpec], Field(min_length=1)]
    reference: str
    """Python source with a top-level ``run`` that takes the inputs in order, by position."""

    @field_validator("hf_id")
    @classmethod
    def _empty_hf_id_is_none(cls, value: str | None) -> str | None:
        # The published dataset carries "" in 26 problems, which its own model refuses.
        return value or None

    @field_validator("reference")
    @classmethod
    def _reference_parses(cls, value: str) -> str:
        try:
            ast.parse(value)
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"does not parse: {error}") from error
        return value

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        _check_identifiers(self)
        _check_names(self)
        _check_functions(self)
        _check_constants(self)
        return self

    @property
    def var_axes(self) -> tuple[str, ...]:
        """The names of the axes that a workload must set, in file order."""
        return tuple(name for name, axis in self.axes.items() if isinstance(axis, VarAxis))

    @property
    def constant_tensors(self) -> dict[str, TensorSpec]:
        """The constant inputs in definition order."""
        constant = self.constant_inputs
        return {name: spec for name, spec in self.inputs.items() if name in constant}

    @property
    def varying_tensors(self) -> dict[str, TensorSpec]:
        """The tensor inputs that differ from call to call, in definition order."""
        constant = self.constant_inputs
        return {
            name: spec
            for name, spec in self.inputs.items()
            if spec.shape is not None and name not in constant
        }

    def resolve(self, given: Mapping[str, int]) -> dict[str, int]:
        """Give every axis its size; `given` holds the var axes.

        Raises:
            BadExpression: an expression uses an unknown or later axis or gives no size.
        """
        sizes: dict[str, int] = {}
        for name, axis in self.axes.items():
            if isinstance(axis, ConstAxis):
                sizes[name] = axis.value
            elif isinstance(axis, VarAxis):
                sizes[name] = given[name]
            else:
                sizes[name] = evaluate(axis.expression, sizes)
            if sizes[name] < 0:
                raise BadExpression(f"axis {name!r} would have size {sizes[name]}")
        return sizes


def concrete_shape(spec: TensorSpec, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The sizes of a tensor's dimensions; a scalar spec (shape null) has none."""
    return tuple(int(d) if d.isdecimal() else sizes[d] for d in spec.shape or ())


class RandomInput(Imported):
    """Drawn afresh for every call."""

    type: Literal["random"]


class ScalarInput(Imported):
    """A fixed Python number."""

    type: Literal["scalar"]
    value: bool | int | Finite


class SafetensorsInput(Imported):
    """Read from a safetensors file beside the problem."""

    type: Literal["safetensors"]
    path: Name
    tensor_key: Name


class CustomInput(Imported):
    """Drawn by the definition's own generator."""

    type: Literal["custom"]


InputSource = Annotated[
    RandomInput | ScalarInput | SafetensorsInput | CustomInput, Field(discriminator="type")
]


class Tolerance(Imported):
    """How far an element may lie from the expected one: |x - y| <= max_atol + max_rtol · |y|."""

    max_atol: Annotated[Finite, Field(ge=0)] = 1e-2
    max_rtol: Annotated[Finite, Field(ge=0)] = 1e-2
    required_matched_ratio: Annotated[Finite, Field(ge=0, le=1)] = 0.99
    max_error_cap: Annotated[Finite, Field(ge=0)] | None = None
    allow_negative_inf: bool = False


class Workload(Imported):
    """One concrete input configuration."""

    uuid: Name
    axes: dict[Name, AxisSize]
    inputs: dict[Name, InputSource]
    tolerance: Tolerance = Tolerance()

    @model_validator(mode="after")
    def _custom_is_all_or_nothing(self) -> Self:
        kinds = {source.type for source in self.inputs.values()}
        if "custom" in kinds and kinds != {"custom"}:
            raise ValueError("inputs: when one input is custom, all must be")
        return self


class Problem(Value):
    """A definition with its workloads: what a campaign is about."""

    name: Name
    """The folder's name: how agents and commands name the problem."""
    definition: Definition
    workloads: tuple[Workload, ...]
    cpu_workloads: tuple[Workload, ...] = ()
    """A smaller set for CPU devices; empty: this problem does not run there."""
    baseline_source: str = ""
    """The problem's own ``baseline.py`` (PyTorch, destination-passing style), or empty."""
    folder: str = ""
    """Where safetensors paths are looked up."""
    warnings: tuple[str, ...] = ()
    """What a reader of the folder should know, such as an ignored key."""

    def workloads_for(self, device_kind: str) -> tuple[Workload, ...]:
        """The workloads that count on a device of this kind (``cpu`` or another)."""
        return self.cpu_workloads if device_kind == "cpu" else self.workloads


def _check_identifiers(definition: Definition) -> None:
    names = (*definition.axes, *definition.inputs, *definition.outputs)
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(f"{name!r} is not an identifier")


def _check_names(definition: Definition) -> None:
    inputs, outputs, axes = set(definition.inputs), set(definition.outputs), set(definition.axes)
    _refuse(inputs & axes, "inputs: named like an axis")
    _refuse(inputs & outputs, "outputs: named like an input")
    for name, spec in {**definition.inputs, **definition.outputs}.items():
        unknown = [d for d in spec.shape or () if not d.isdecimal() and d not in axes]
        _refuse(unknown, f"{name}.shape: not an axis")


def _functions(definition: Definition) -> dict[str, ast.FunctionDef]:
    body = ast.parse(definition.reference).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _check_functions(definition: Definition) -> None:
    functions = _functions(definition)
    if "run" not in functions:
        raise ValueError("reference: has no top-level function `run`")
    arguments = functions["run"].args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if positional != list(definition.inputs):
        raise ValueError(
            f"reference: `run` takes {positional}, but the inputs are {list(definition.inputs)}"
        )
    entry = definition.custom_inputs_entrypoint
    if entry is not None and entry not in functions:
        raise ValueError(f"custom_inputs_entrypoint: reference has no top-level function {entry!r}")


def _check_constants(definition: Definition) -> None:
    constant = definition.constant_inputs
    if not constant:
        return
    _refuse(set(constant) - set(definition.inputs), "constant_inputs: not an input")
    _refuse({n for n in constant if constant.count(n) > 1}, "constant_inputs: named twice")
    scalars = (n for n in constant if definition.inputs[n].shape is None)
    _refuse(scalars, "constant_inputs: a scalar is the same in every call already")
    # Otherwise all that a call computes could be computed beforehand.
    if not definition.varying_tensors:
        raise ValueError("constant_inputs: at least one tensor must differ from call to call")
    if definition.custom_inputs_entrypoint is not None:
        raise ValueError("constant_inputs: custom_inputs_entrypoint draws all inputs together")
    # The reference is a contender for the baseline, and would be taken for one that prepares.
    if PREPARE in _functions(definition):
        raise ValueError(f"reference: with constant_inputs no function may be named {PREPARE!r}")


def _refuse(names: Iterable[str], reason: str) -> None:
    listed = sorted(names)
    if listed:
        raise ValueError(f"{reason}: {', '.join(map(repr, listed))}")
