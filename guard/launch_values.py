"""What a launch plan becomes for one workload: every number known, every name given a meaning.

Plain frozen values, shared by the arithmetic that makes them and the driver calls that use them.

    guard.launch -> Layout -> guard.cubin

Start at `Layout`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from guard.domain.errors import MalformedSolution
from guard.domain.expression import BadExpression, evaluate

Kind = Literal["pointer", "null", "tensor_map", "int32", "int64", "float32", "float64"]
Dims = tuple[int, int, int]

SIZE_BYTES: dict[Kind, int] = {
    "pointer": 8, "null": 8, "tensor_map": 128, "int32": 4, "int64": 8, "float32": 4, "float64": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """One kernel argument: a number, or the name of a tensor, workspace or tensor map."""

    kind: Kind
    value: int | float | str = 0
    dtype: str = ""
    """Of a pointer: the elements that the plan says it points to; empty: it does not say."""


@dataclass(frozen=True)
class Launch:
    """One kernel launch with every number known."""

    kernel: str
    grid: Dims
    block: Dims
    shared_bytes: int
    arguments: tuple[Argument, ...]
    index: int = 0
    """Its place in the plan, for messages."""
    cluster: Dims | None = None
    cooperative: bool = False
    cubin: str = ""
    """The artifact's file that holds the kernel; empty: there is only one."""

    @property
    def field(self) -> str:
        """How messages name it."""
        return f"launch_plan.kernels[{self.index}]"

    @property
    def is_empty(self) -> bool:
        """No blocks: nothing to launch, which CUDA itself would refuse."""
        return 0 in self.grid

    @property
    def threads(self) -> int:
        """Per block."""
        return prod(self.block)


@dataclass(frozen=True)
class TensorMapLayout:
    """The numbers of one TMA descriptor, innermost dimension first."""

    name: str
    tensor: str
    dtype: str
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    """Bytes, of every dimension but the first."""
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    swizzle: str
    interleave: str
    l2_promotion: str
    oob_fill: str
    span_bytes: int
    """From the first byte that a copy can read to the end of the last."""

    @property
    def field(self) -> str:
        """How messages name it."""
        return f"launch_plan.tensor_maps.{self.name}"


@dataclass(frozen=True)
class Layout:
    """A plan for one workload."""

    launches: tuple[Launch, ...]
    workspaces: Mapping[str, int]
    """Bytes by name."""
    zeroed: tuple[str, ...] = ()
    """Workspaces that are filled with zeros before each call."""
    tensor_maps: Mapping[str, TensorMapLayout] = field(default_factory=dict)


def integer(field: str, expression: str, names: Mapping[str, int]) -> int:
    """The value of an expression of a plan.

    Raises:
        MalformedSolution: the field, and why it has none.
    """
    try:
        return evaluate(expression, names)
    except BadExpression as error:
        raise MalformedSolution(field, str(error)) from error


def within(field: str, value: int, limit: int, least: int = 0) -> int:
    """The value, which must lie between `least` and `limit`.

    Raises:
        MalformedSolution: it does not.
    """
    if not least <= value <= limit:
        raise MalformedSolution(field, f"{value} does not lie in {least} .. {limit}")
    return value
