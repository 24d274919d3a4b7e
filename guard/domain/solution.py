"""A solution: source text in one kernel language, by content hash.

Start at `Solution`. Not here: handing in (`memory`), compiling (`guard.languages`).
"""

import hashlib
from functools import cached_property
from typing import Annotated

from pydantic import Field

from guard.domain.value import Value

MAX_SOURCE_BYTES = 256 * 1024
Expression = Annotated[str, Field(min_length=1, max_length=400)]


class KernelLaunch(Value):
    """One kernel launch of a plan, on the current stream, in the order written."""

    kernel: Annotated[str, Field(min_length=1, max_length=256)]
    """The ``extern "C"`` name of a ``__global__`` function."""
    grid: Annotated[tuple[Expression, ...], Field(min_length=1, max_length=3)]
    """Blocks per dimension, expressions over the axes."""
    block: Annotated[tuple[Expression, ...], Field(min_length=1, max_length=3)]
    """Threads per dimension, expressions over the axes."""
    shared_bytes: Expression = "0"
    """Dynamic shared memory per block."""
    arguments: Annotated[tuple[str, ...], Field(max_length=64)]
    """Names of inputs, outputs, workspaces; ``int32:EXPR``, ``int64:EXPR``, ``float32:NUMBER``."""


class LaunchPlan(Value):
    """How the kernels of a `cuda` solution are launched: data, so no host code runs."""

    kernels: Annotated[tuple[KernelLaunch, ...], Field(min_length=1, max_length=64)]
    workspaces: dict[str, Expression] = {}
    """Scratch buffers by name: their size in bytes, an expression over the axes."""


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
    entry_point: str = "run"
    """The function called for each call."""
    destination_passing_style: bool = True
    """True: outputs are passed after the inputs and written; false: they are returned."""
    options: tuple[str, ...] = ()
    """Compiler options, from the language's allowed set."""
    launch_plan: LaunchPlan | None = None
    """For language `cuda` alone."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the canonical JSON of this value, hexadecimal."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def source(self) -> str:
        """The entry file's text."""
        return self.sources[0].content
