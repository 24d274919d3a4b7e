"""The fixed messages between server and referee, and the frames that carry all messages.

    server  <-> referee : `Order`, `Report`                 both trusted
    referee <-> runner  : `Ask`, `Answer` (`guard.asks`)    an answer may be a lie

A frame is two big-endian 32-bit lengths, a JSON text and a blob of bytes; file descriptors travel
beside it (SCM_RIGHTS). Never pickle. Start at `Order`, then `send` and `receive`.
"""

import select
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.spent import Answered
from guard.domain.trace import Baseline, Duel, Verification
from guard.domain.value import Finite, Value

HEADER = struct.Struct(">II")
MAX_JSON_BYTES = 16 * 2**20
MAX_BLOB_BYTES = 256 * 2**20


class BaselineOrder(Value):
    """Find the fastest of eager, compiled and the problem's own baseline."""

    type: Literal["baseline"] = "baseline"
    job: str
    problem: Problem
    policy: Policy


class VerifyOrder(Value):
    """Compile a solution and check every workload; nothing is timed."""

    type: Literal["verify"] = "verify"
    job: str
    problem: Problem
    solution: Solution
    policy: Policy
    known: tuple[str, ...] = ()
    """Code digests whose end is on record: what compiles to one of them is not run."""


class DuelOrder(Value):
    """Time a candidate against a champion in fresh process pairs."""

    type: Literal["duel"] = "duel"
    job: str
    problem: Problem
    candidate: Solution
    champion: Solution
    policy: Policy
    pairs: Annotated[int, Field(ge=1, le=16)]
    first_pair: int = 0
    """Number of pairs already timed; decides which side goes first."""
    screens: bool = False
    """Whether the duel's first pair ends early where the candidate is hopeless."""
    warms: bool = False
    """Whether the first pair ends each workload with its warm latency."""
    handicap: Annotated[Finite, Field(ge=-0.5, le=0.5)] = 0.0
    """Share of uncounted calls in the candidate's long block: a planted loss (negative: gain)."""


class DoctorOrder(Value):
    """Try the device and every sandbox layer, and report versions."""

    type: Literal["doctor"] = "doctor"
    job: str = "doctor"


class CancelOrder(Value):
    """End the order of this job, queued or running."""

    type: Literal["cancel"] = "cancel"
    job: str


Order = Annotated[
    BaselineOrder | VerifyOrder | DuelOrder | DoctorOrder | CancelOrder,
    Field(discriminator="type"),
]


class Progress(Value):
    """How far the current order is."""

    type: Literal["progress"] = "progress"
    job: str
    done: int
    total: int
    message: str
    lane: Literal["compile", "device"] = "device"
    """Where in the referee the order is."""
    waiting: bool = False
    """Whether it waits there for others."""


class BaselineReport(Answered):
    """The answer to a `BaselineOrder`."""

    type: Literal["baseline"] = "baseline"
    baseline: Baseline


class VerifyReport(Answered):
    """The answer to a `VerifyOrder`."""

    type: Literal["verify"] = "verify"
    verification: Verification


class DuelReport(Answered):
    """The answer to a `DuelOrder`."""

    type: Literal["duel"] = "duel"
    duel: Duel


class Layer(Value):
    """One sandbox layer, as tried."""

    name: str
    works: bool
    detail: str = ""


class DoctorReport(Answered):
    """The answer to a `DoctorOrder`."""

    type: Literal["doctor"] = "doctor"
    grade: int
    layers: tuple[Layer, ...]
    libs: dict[str, str]
    canary: str = ""
    """What is wrong with the device; empty when it computes what it must."""


class Cancelled(Answered):
    """The order was cancelled; its process tree is gone."""

    type: Literal["cancelled"] = "cancelled"


class Trouble(Answered):
    """The house failed while carrying out the order; `code` names a class of `domain.errors`."""

    type: Literal["trouble"] = "trouble"
    code: str
    message: str


Report = Annotated[
    BaselineReport | VerifyReport | DuelReport | DoctorReport | Cancelled | Trouble | Progress,
    Field(discriminator="type"),
]

ORDERS: TypeAdapter[Any] = TypeAdapter(Order)
REPORTS: TypeAdapter[Any] = TypeAdapter(Report)


# --- frames ---------------------------------------------------------------------------------


class FileEntry(Value):
    """One file of a blob: the blob is the files' contents one after the other."""

    path: Annotated[str, Field(max_length=1024)]
    size_bytes: Annotated[int, Field(ge=0)]


class PeerGone(Exception):
    """The other end closed its socket: for a runner, it died."""


class PeerSilent(Exception):
    """The other end did not answer in time."""


class PeerBabbles(Exception):
    """The other end sent something that is no message."""


def encode(value: Value, blob: bytes = b"") -> bytes:
    """One frame as bytes."""
    text = value.model_dump_json().encode()
    return HEADER.pack(len(text), len(blob)) + text + blob


def send(sock: socket.socket, value: Value, blob: bytes = b"", fds: Sequence[int] = ()) -> None:
    """Send one frame; file descriptors travel with its first byte.

    Raises:
        PeerGone: the other end is closed.
    """
    frame = encode(value, blob)
    try:
        sent = socket.send_fds(sock, [frame], list(fds)) if fds else 0
        sock.sendall(memoryview(frame)[sent:])
    except (BrokenPipeError, ConnectionResetError) as error:
        raise PeerGone from error


def receive(
    sock: socket.socket, timeout_s: float | None = None, max_fds: int = 0
) -> tuple[bytes, bytes, list[int]]:
    """Receive one frame: its JSON text, its blob and its file descriptors.

    Raises:
        PeerGone, PeerSilent, PeerBabbles: closed, late, or a length beyond the limits.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    header, fds = _first(sock, deadline, max_fds)
    text_bytes, blob_bytes = HEADER.unpack(header)
    if text_bytes > MAX_JSON_BYTES or blob_bytes > MAX_BLOB_BYTES:
        raise PeerBabbles(f"a frame of {text_bytes} + {blob_bytes} bytes")
    return _exactly(sock, text_bytes, deadline), _exactly(sock, blob_bytes, deadline), fds


def parse(adapter: TypeAdapter[Any], text: bytes) -> Any:
    """Validate a received JSON text.

    Raises:
        PeerBabbles: it is no message of this kind.
    """
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        raise PeerBabbles(str(error)[:500]) from error


def pack_files(files: Mapping[str, bytes]) -> tuple[tuple[FileEntry, ...], bytes]:
    """Files as a table and one blob."""
    table = tuple(FileEntry(path=path, size_bytes=len(data)) for path, data in files.items())
    return table, b"".join(files.values())


def unpack_files(table: Sequence[FileEntry], blob: bytes) -> dict[str, bytes]:
    """The inverse of `pack_files`; refuses paths that leave the folder.

    Raises:
        PeerBabbles: sizes do not add up or a path is absolute or climbs.
    """
    files: dict[str, bytes] = {}
    at = 0
    for entry in table:
        path = PurePosixPath(entry.path)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise PeerBabbles(f"a file named {entry.path!r}")
        files[entry.path] = blob[at : at + entry.size_bytes]
        at += entry.size_bytes
    if at != len(blob):
        raise PeerBabbles("file sizes do not add up")
    return files


def _wait(sock: socket.socket, deadline: float | None) -> None:
    left = None if deadline is None else max(0.0, deadline - time.monotonic())
    readable, _, _ = select.select([sock], [], [], left)
    if not readable:
        raise PeerSilent


def _first(sock: socket.socket, deadline: float | None, max_fds: int) -> tuple[bytes, list[int]]:
    _wait(sock, deadline)
    try:
        data, fds, _, _ = socket.recv_fds(sock, HEADER.size, max_fds)
    except ConnectionResetError as error:
        raise PeerGone from error
    if not data:
        raise PeerGone
    return data + _exactly(sock, HEADER.size - len(data), deadline), fds


def _exactly(sock: socket.socket, size_bytes: int, deadline: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size_bytes:
        _wait(sock, deadline)
        try:
            part = sock.recv(min(size_bytes - len(parts), 1 << 20))
        except ConnectionResetError as error:
            raise PeerGone from error
        if not part:
            raise PeerGone
        parts += part
    return bytes(parts)
