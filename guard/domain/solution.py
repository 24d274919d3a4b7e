"""A solution: source text in one kernel language, by content hash.

Start at `Solution`. Not here: handing in (`memory`), compiling (`guard.languages`).
"""

import hashlib
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from guard.domain.value import Value

MAX_SOURCE_BYTES = 256 * 1024
Expression = Annotated[str, Field(min_length=1, max_length=400)]
Dimensions = Annotated[tuple[Expression, ...], Field(min_length=1, max_length=3)]
MapDimensions = Annotated[tuple[Expression, ...], Field(min_length=1, max_length=5)]
MapDtype = Literal[
    "uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64",
    "bfloat16",
]  # fmt: skip


class Choice(Value):
    """A constant that depends on the shape: which of the kernels compiled ahead is taken."""

    value: Expression
    """An expression over the axes."""
    among: Annotated[tuple[int, ...], Field(min_length=1, max_length=32)]
    """The values that it can have: one kernel is compiled for each."""


class TritonOptions(Value):
    """What the Triton compiler must know ahead; for language `triton` alone."""

    constants: Annotated[dict[str, Expression | Choice], Field(max_length=64)] = {}
    """Every `tl.constexpr` parameter: an expression over earlier constants, or a choice."""
    num_warps: Expression = "4"
    """An expression over the constants, like the next two."""
    num_stages: Expression = "3"
    num_ctas: Expression = "1"
    """Blocks of a cluster that work as one program."""
    multiples_of_16: Annotated[tuple[str, ...], Field(max_length=64)] = ()
    """Whole-number parameters that are always multiples of 16, which allows wide accesses."""


class KernelLaunch(Value):
    """One kernel launch of a plan, on the current stream, in the order written."""

    kernel: Annotated[str, Field(min_length=1, max_length=256)]
    """The ``extern "C"`` name of a ``__global__`` function, or of a ``@triton.jit`` function."""
    grid: Dimensions
    """Blocks per dimension, expressions over the axes."""
    block: Dimensions | None = None
    """Threads per dimension, expressions over the axes. Triton's follow from `num_warps`."""
    shared_bytes: Expression = "0"
    """Dynamic shared memory per block."""
    cluster: Dimensions | None = None
    """Blocks of a cluster per dimension; none: as the kernel itself says."""
    cooperative: bool = False
    """All blocks are on the device at once, so that they may wait for each other."""
    when: Expression = "1"
    """Launched only where this is not 0; elsewhere nothing else of it is evaluated."""
    arguments: Annotated[tuple[Annotated[str, Field(max_length=400)], ...], Field(max_length=64)]
    """Names of tensors, workspaces, tensor maps; ``int32:EXPR``, ``float32:NUMBER``…"""
    triton: TritonOptions | None = None


class Workspace(Value):
    """A scratch buffer."""

    size_bytes: Expression
    zero: bool = False
    """Filled with zeros before each call, as part of the call; else it holds what was there."""


class TensorMap(Value):
    """A TMA descriptor of a tiled tensor, passed as ``__grid_constant__ const CUtensorMap``.

    Dimensions are written innermost first, as CUDA's `cuTensorMapEncodeTiled` takes them.
    """

    tensor: Annotated[str, Field(max_length=128)]
    """A tensor input, an output or a workspace."""
    dtype: MapDtype
    dims: MapDimensions
    """Elements per dimension."""
    strides: Annotated[tuple[Expression, ...], Field(max_length=4)] | None = None
    """Bytes from one index to the next, of every dimension but the first; none: contiguous."""
    box: MapDimensions
    """Elements per dimension of one copy."""
    element_strides: MapDimensions | None = None
    """Steps in elements; none: every element."""
    swizzle: Literal["none", "32B", "64B", "128B"] = "none"
    interleave: Literal["none", "16B", "32B"] = "none"
    l2_promotion: Literal["none", "64B", "128B", "256B"] = "none"
    oob_fill: Literal["zero", "nan"] = "zero"
    """What a copy reads beyond the tensor."""


class LaunchPlan(Value):
    """How kernels are launched: data, so that no host code of the candidate runs."""

    kernels: Annotated[tuple[KernelLaunch, ...], Field(min_length=1, max_length=64)]
    workspaces: Annotated[dict[str, Expression | Workspace], Field(max_length=32)] = {}
    """Scratch buffers by name: their size in bytes, an expression over the axes, or more."""
    tensor_maps: Annotated[dict[str, TensorMap], Field(max_length=32)] = {}
    """TMA descriptors by name."""


class Source(Value):
    """One file of a solution."""

    path: Annotated[str, Field(min_length=1, max_length=200)]
    content: Annotated[str, Field(min_length=1)]


class Solution(Value):
    """Everything that decides what a candidate does; equal solutions have equal digests."""

    definition: str
    """The name of the definition it implements."""
    language: str
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    """The entry file comes first."""
    entry_point: Annotated[str, Field(max_length=256)] = "run"
    """The function called for each call."""
    destination_passing_style: bool = True
    """True: outputs are passed after the inputs and written; false: they are returned."""
    options: Annotated[tuple[Annotated[str, Field(max_length=256)], ...], Field(max_length=64)] = ()
    """Compiler options, from the language's allowed set."""
    launch_plan: LaunchPlan | None = None
    """For language `cuda`, and for `triton` compiled ahead."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the canonical JSON of this value, hexadecimal."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def source(self) -> str:
        """The entry file's text."""
        return self.sources[0].content
