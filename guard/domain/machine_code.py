"""What a builder tells of the machine code it made: resources, counts, packed listings.

A builder may have run the candidate's own Python, so all of it is untrusted; the types bound it,
and no verdict rests on it. Start at `Listing`. Not here: making it (`guard.listing`).
"""

from typing import Annotated, Literal

from pydantic import Field

from guard.domain.value import Value

MAX_PACKED_BYTES = 256 * 1024
"""Of one compressed listing; its text may be many times as long."""
_MAX_PACKED_CHARS = MAX_PACKED_BYTES * 4 // 3 + 4

Count = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""Of registers, bytes, instructions: no more than every JSON reader keeps exactly."""
Kind = Literal["ptx", "sass", "asm"]


class KernelResources(Value):
    """What a compiler reported about one kernel."""

    kernel: str
    registers: Count
    shared_bytes: Count
    """Static; of Triton's kernels all of it."""
    spill_bytes: Count
    barriers: Count = 0
    threads: Count = 0
    """Of a block; 0 where it depends on the axes."""
    dynamic_shared_bytes: Count = 0
    """As the launch plan asks for it; 0 where that depends on the axes."""


class Instructions(Value):
    """The instructions of one kernel or function, counted by class."""

    kernel: str
    total: Count
    classes: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z0-9_ ]{1,24}$")], Count], Field(max_length=64)
    ]
    """Only classes that occur; an instruction may belong to several."""


class Listing(Value):
    """One listing as it is kept: compressed, and cut where it would be too long."""

    kind: Kind
    cut: bool = False
    """Whether its end was left out."""
    digest: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    """SHA-256 of the packed text, once that is stored apart; then `packed` is empty."""
    packed: Annotated[
        str, Field(max_length=_MAX_PACKED_CHARS, pattern=r"^[A-Za-z0-9+/=]*$", repr=False)
    ] = ""
    """The text, compressed by zlib, in base64."""
