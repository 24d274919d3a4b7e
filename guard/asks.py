"""The fixed messages between a referee, its zygote and its runners.

The referee asks, the runner answers. An answer comes from an untrusted process: it is bounded and
validated here, and no number in it is believed unless something the runner cannot touch agrees.

    Spawn -> Spawned         referee <-> zygote
    Ask   -> Answer          referee <-> runner

Start at `Ask`. Not here: the frames (`wire`).
"""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from guard.domain.solution import Solution
from guard.domain.value import Value
from guard.wire import FileEntry, encode


class TensorAt(Value):
    """A tensor in the attached arena; its place differs per slot."""

    shape: tuple[int, ...]
    dtype: str


class CompileAsk(Value):
    """Compile in this process, which never loads what it compiles."""

    type: Literal["compile"] = "compile"
    solution: Solution
    architecture: str


class WarmAsk(Value):
    """Prepare the device, while there is no candidate yet."""

    type: Literal["warm"] = "warm"
    device: str
    """The device plug-in's name."""
    memory_bytes: int = 0
    """From now on it may have so much address space more than it has; 0: as before."""


class LoadAsk(Value):
    """Write the blob's files to scratch and load the candidate."""

    type: Literal["load"] = "load"
    device: str
    """The device plug-in's name."""
    solution: Solution
    files: tuple[FileEntry, ...]


class AttachAsk(Value):
    """Map memory of the referee; file descriptors travel with the frame."""

    type: Literal["attach"] = "attach"
    purpose: Literal["slots", "folds"] = "slots"
    handle: dict[str, str | int]


class SetsAt(Value):
    """Where the sets of constant inputs lie in the attached arena."""

    names: tuple[str, ...]
    """The constant inputs in definition order; the inputs of the ask give shape and dtype."""
    start: int
    """Of the first set. Bytes."""
    set_bytes: int
    """Distance of one set from the next."""
    offsets: tuple[int, ...]
    """Where each constant input lies in a set. Bytes."""
    of_slot: tuple[int, ...]
    """Which set each slot uses."""


class BindAsk(Value):
    """Fix the arguments of every slot."""

    type: Literal["bind"] = "bind"
    inputs: tuple[TensorAt | float | int | bool, ...]
    """In definition order; a Python scalar stands for itself."""
    outputs: tuple[TensorAt, ...]
    input_names: tuple[str, ...]
    names: tuple[str, ...]
    """Of the outputs, in order."""
    returns: bool
    """Return style: the outputs are not passed."""
    offsets: tuple[int, ...]
    """Where the tensor inputs that are not constant, then the outputs, lie in a slot. Bytes."""
    slot_bytes: int
    """Distance of one slot from the next."""
    count: int
    """Slots."""
    axes: dict[str, int]
    constants: SetsAt | None = None
    """None: every input belongs to one slot. A set is asked for (`PrepareAsk`) before its use."""


class PrepareAsk(Value):
    """Take in one set of constant inputs, by the candidate's own `prepare` where it has one."""

    type: Literal["prepare"] = "prepare"
    set: int


class CallAsk(Value):
    """One plain call on one slot, then wait for the device."""

    type: Literal["call"] = "call"
    slot: int


class CaptureAsk(Value):
    """Make two blocks ready: calls over these slots, captured where the device can."""

    type: Literal["capture"] = "capture"
    short: tuple[int, ...]
    long: tuple[int, ...]
    mode: Literal["graph", "host"]


class AuditAsk(Value):
    """Make two blocks ready in which every call's input takes in some of the output before it.

    They replace the blocks made ready before.
    """

    type: Literal["audit"] = "audit"
    short: tuple[int, ...]
    long: tuple[int, ...]
    mode: Literal["graph", "host"]
    output: int
    """Which output is read, by its place in the definition."""
    into: int
    """Which input is changed: its place among the tensor inputs that are not constant."""


class BlockAsk(Value):
    """Go: one pass over the short or the long block."""

    type: Literal["block"] = "block"
    long: bool


class StandByAsk(Value):
    """Wake up and wait for the next ask without going to sleep: it is a `BlockAsk`."""

    type: Literal["standby"] = "standby"


class PipeAsk(Value):
    """Name the descriptor that comes along in the environment; nothing is ever told through it."""

    type: Literal["pipe"] = "pipe"


class ExpectedAsk(Value):
    """Hold the tensors in the memory that comes along; nothing ever uses them."""

    type: Literal["expected"] = "expected"
    handle: dict[str, str | int]
    names: tuple[str, ...]
    outputs: tuple[TensorAt, ...]
    offsets: tuple[int, ...]
    """Bytes, per output."""


class KeepAsk(Value):
    """Send the files below the scratch folder's cache, so that a later runner starts warm."""

    type: Literal["keep"] = "keep"


Ask = Annotated[
    CompileAsk
    | WarmAsk
    | LoadAsk
    | AttachAsk
    | BindAsk
    | PrepareAsk
    | CallAsk
    | CaptureAsk
    | AuditAsk
    | BlockAsk
    | StandByAsk
    | PipeAsk
    | ExpectedAsk
    | KeepAsk,
    Field(discriminator="type"),
]


class Returned(Value):
    """Where one returned output lies in the runner: a claim, checked by reading there."""

    shape: Annotated[tuple[int, ...], Field(max_length=16)]
    strides: Annotated[tuple[int, ...], Field(max_length=16)]
    dtype: Annotated[str, Field(max_length=40)]
    address: Annotated[int, Field(ge=0)]
    handle: Annotated[str, Field(max_length=200)] = ""
    """Device memory: the IPC handle, hexadecimal; `address` is then the offset in it."""


class Ready(Value):
    """First message of a fresh runner: which walls it put up, and why others fell."""

    type: Literal["ready"] = "ready"
    held: Annotated[tuple[str, ...], Field(max_length=32)]
    fell: dict[str, str]


class Done(Value):
    """The ask was carried out, says the runner."""

    type: Literal["done"] = "done"
    returned: tuple[tuple[Returned, ...], ...] = ()
    """Return style: per slot of the ask, per output."""
    prepared: bool = False
    """To `PrepareAsk`: the candidate has a `prepare` of its own."""


class Compiled(Value):
    """The answer to `CompileAsk`; the blob holds the artifact's files."""

    type: Literal["compiled"] = "compiled"
    report: dict[str, Any]
    files: Annotated[tuple[FileEntry, ...], Field(max_length=4096)]


class Kept(Value):
    """The answer to `KeepAsk`; the blob holds the files."""

    type: Literal["kept"] = "kept"
    files: Annotated[tuple[FileEntry, ...], Field(max_length=4096)]


class Raised(Value):
    """The candidate raised an exception, or what it returned cannot be used."""

    type: Literal["raised"] = "raised"
    status: Literal["RUNTIME_ERROR", "INCORRECT_SHAPE", "INCORRECT_DTYPE"] = "RUNTIME_ERROR"
    message: Annotated[str, Field(max_length=8000)]


Answer = Annotated[Ready | Done | Compiled | Kept | Raised, Field(discriminator="type")]

ASKS: TypeAdapter[Any] = TypeAdapter(Ask)
ANSWERS: TypeAdapter[Any] = TypeAdapter(Answer)


class Spawn(Value):
    """Fork one runner; its socket, status pipe and output file travel with the frame."""

    type: Literal["spawn"] = "spawn"
    scratch: str
    """Where the runner's own folder is mounted in memory, or made on disk if it cannot be."""
    uid: int
    """The runner's own user id when the house is root; ignored otherwise."""
    memory_bytes: int
    """0: no address-space limit (a GPU driver reserves huge ranges)."""
    file_bytes: int
    processes: int
    cpus: tuple[int, ...]
    """The CPUs that it may use; none named: any."""
    readable: tuple[str, ...]
    """Folders that may be read besides the system's."""


class Spawned(Value):
    """The runner exists."""

    type: Literal["spawned"] = "spawned"
    pid: int


GO = {long: encode(BlockAsk(long=long)) for long in (False, True)}
"""The frames that begin a block, made before any clock runs: on both ends they are compared."""
