"""The speed of light on one workload: what there is to do, what the device can do, and the time.

    Work × Ceilings -> Bound

Start at `Bound`. Not here: the arithmetic (`guard.bound`), how work is counted
(`guard.referee.work`) and ceilings are measured (`guard.referee.ceilings`).
"""

from typing import Annotated

from pydantic import Field

from guard.domain.value import Finite, Milliseconds, Value

Amount = Annotated[Finite, Field(ge=0)]
Rate = Annotated[Finite, Field(gt=0)]


class Work(Value):
    """What one call of the reference has to do at least, everything fused into one kernel."""

    read_bytes: Annotated[int, Field(ge=0)]
    """Inputs, each element that is read once."""
    written_bytes: Annotated[int, Field(ge=0)]
    """Outputs, each once."""
    matrix_flops: dict[str, Amount] = {}
    """Matrix products by the dtype whose path they may take; a multiplication and an addition are
    two."""
    simple_ops: Amount = 0.0
    """Other arithmetic, in operations of a 32-bit lane; two 16-bit ones share a lane."""
    special_ops: Amount = 0.0
    """Exponentials, logarithms, roots, sines and the like, counted in the same way."""
    needs_bytes: bool = False
    """Whether no honest call can do without these bytes."""
    needs_flops: bool = False
    """Whether no honest call can do with much less matrix work."""
    note: str = ""
    """What was left out, and why."""


class Ceilings(Value):
    """What a device was seen to reach, at best."""

    identity: dict[str, str]
    """The device, its driver and the library that measured: figures hold for these alone."""
    bytes_per_s: dict[str, Rate]
    """Memory traffic by pattern: ``read``, ``write``, ``copy`` (both directions counted), and
    ``cached copy`` for a buffer that stays in the last cache."""
    matrix_flops_per_s: dict[str, Rate] = {}
    """Matrix products by dtype of the operands; ``float32`` may round them to TF32."""
    simple_ops_per_s: Rate | None = None
    """Fused multiply-adds of 32 bits, two operations each."""
    special_ops_per_s: Rate | None = None
    """Exponentials."""
    launch_ms: Milliseconds | None = None
    """An empty kernel, launched one by one from the host."""
    node_ms: Milliseconds | None = None
    """From one empty kernel to the next in a CUDA graph; none where calls are not recorded."""
    cache_bytes: Annotated[int, Field(ge=0)] = 0
    """The last cache."""
    cold: bool = False
    """Whether inputs come from memory however small they are: timed calls go through more slots
    than the cache holds."""


class Bound(Value):
    """The least time of one call."""

    bound_ms: Milliseconds
    """An estimate: the work of the reference at the ceilings of this device."""
    resource: str
    """What binds: ``memory``, ``matrix bfloat16``, ``fp32``, ``special functions``, ``latency``."""
    limit_ms: Amount = 0.0
    """No honest call is shorter; zero where the bound is an estimate alone."""
    limit_calls: Annotated[int, Field(ge=0)] = 0
    """The limit holds in blocks of at least so many calls: of fewer inputs the cache may hold more
    than a little."""
    note: str = ""
    """What the estimate leaves out."""
