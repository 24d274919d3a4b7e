"""What a plug-in must be: languages, devices, executors, formats, rules.

A plug-in is a module in its folder that defines one constant (`LANGUAGE`, `DEVICE`, `EXECUTOR`,
`FORMAT`, `RULE`) satisfying the Protocol below. `plugins.py` lists a folder; nothing else names
them.

Importing a plug-in must be cheap: torch, triton and cuda are imported inside the functions that
need them, and those run in a referee or a runner only.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from guard.arena import Arena as Arena
from guard.asks import Returned
from guard.domain.conditions import Conditions
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport, Remark
from guard.processes import HostTime
from guard.source_file import SourceFile
from guard.wire import Order, Progress, Report


class Plugin(Protocol):
    """What every plug-in has."""

    name: str

    def unavailable(self) -> str | None:
        """Why it cannot be used on this host, or None. Cheap: no torch, no compile."""
        ...


@dataclass(frozen=True)
class Artifact:
    """A compiled solution: what a runner loads. Untrusted, like the source it came from."""

    report: CompileReport
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Relative path -> content; written to the runner's scratch folder before `load`."""


class Call(Protocol):
    """One call of a candidate on bound arguments: returns None, or its outputs in return style."""

    def __call__(self) -> Sequence[Any] | None:
        """Run it once; work may still be queued on the current stream."""
        ...


class Kernel(Protocol):
    """A loaded candidate, in a runner."""

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Fix the arguments: torch tensors (scalars as Python numbers) in definition order.

        `axes` holds every axis of the definition, in file order. With destination-passing style
        the call writes `outputs`; otherwise `outputs` is empty and the call returns tensors.
        `names` are those of the inputs, then of the outputs: a launch plan refers to them.
        """
        ...


class Language(Plugin, Protocol):
    """One kernel language."""

    suffix: str
    """Of a bare source file, with the dot: how `judge` guesses the language."""
    compiles_at_call: bool
    """Whether the first call in a fresh process may compile, and so needs more time."""
    summary: str
    """One line for agents: what a source must contain and how it is called."""

    def warm(self, device_kind: str) -> None:
        """Do once what every runner would otherwise do anew, in the warm parent of all runners.

        Must not create a device context, which no fork survives.
        """
        ...

    def runs_on(self, device_kind: str) -> str | None:
        """Why it cannot *run* on such a device (it may still compile), or None."""
        ...

    def timed_on(self, device_kind: str) -> str | None:
        """Why it cannot be *timed* there (an interpreter, say), or None."""
        ...

    def check(self, solution: Solution) -> None:
        """Refuse options or a launch plan that do not fit.

        Raises:
            MalformedSolution: the field and the reason.
        """
        ...

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Compile in a sandboxed builder; a failed compile is an artifact whose report is not ok.

        `architecture` is `DeviceIdentity.architecture`, such as ``sm_90a`` or ``x86-64-v3``.
        """
        ...

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """SHA-256 of all that such an artifact runs, without names, and of how it is launched.

        Empty where part of it is compiled later, or runs on the host beside what was compiled.

        Raises:
            ValueError: the files are not what they are called.
        """
        ...

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Load the artifact's files from `scratch`, in a runner."""
        ...


@dataclass(frozen=True)
class DeviceIdentity:
    """One device: figures are comparable only within one identity."""

    name: str
    """How agents name it, such as ``cpu`` or ``cuda:0``."""
    kind: str
    """The device plug-in's name."""
    hardware: str
    """The product name."""
    architecture: str
    facts: Mapping[str, str] = field(default_factory=dict)
    """Driver, serial, memory…"""


class Device(Plugin, Protocol):
    """One kind of device."""

    records: bool
    """Whether calls can be recorded and replayed, so that only device time is timed."""
    spins: bool
    """Whether both ends of a timed block wait without sleeping; a host must have cores for it."""
    warm: tuple[str, ...]
    """Modules that the warm parent of all runners imports; none may create a device context."""

    def found(self) -> tuple[DeviceIdentity, ...]:
        """The devices of this kind on this host; never imports torch."""
        ...

    def allocate(self, identity: DeviceIdentity, size_bytes: int) -> Arena:
        """Reserve slot memory, in a referee."""
        ...

    def free_bytes(self, identity: DeviceIdentity) -> int:
        """Memory that slots may take now."""
        ...

    def attach(self, handle: Mapping[str, Any], fds: Sequence[int]) -> Arena:
        """Map a referee's arena, in a runner."""
        ...

    def prepare(self) -> None:
        """Set up the device in a fresh runner: threads, or a context."""
        ...

    def synchronise(self) -> None:
        """Wait until everything queued by this process is done."""
        ...

    def stand_by(self) -> None:
        """Once through what a block needs, in a runner: after a stop nothing of it is in cache."""
        ...

    def is_idle(self) -> bool:
        """Whether no other process keeps the device busy now, in a referee."""
        ...

    def conditions(self, identity: DeviceIdentity) -> Conditions:
        """What the device says of itself now; nothing where it cannot tell. No clock may run."""
        ...

    def strangers(self, identity: DeviceIdentity, own: Collection[int]) -> int | None:
        """How many processes besides these use the device now; None: it cannot be told."""
        ...

    def capture(self, calls: Sequence[Call]) -> tuple[Callable[[], None], list[Any]]:
        """Record the calls for replay, in a runner: the replay and what each call returned.

        Only where `records`; elsewhere a block is a plain loop.
        """
        ...

    def locate(self, tensor: Any) -> tuple[int, str]:
        """Where a runner's tensor lies: address or offset, and a handle (hexadecimal or empty)."""
        ...

    def borrow(self, pid: int, returned: Returned) -> Any:
        """Read a runner's tensor where it lies, in a referee.

        Raises:
            ValueError: nothing of that shape lies there.
        """
        ...

    def host_time(self, pid: int) -> HostTime | None:
        """What the host's scheduler counted so far; None: it cannot be told, or is no matter."""
        ...

    def forget(self, pid: int) -> None:
        """Let go of everything borrowed from a runner that has ended."""
        ...


class Referee(Protocol):
    """The server's end of one device's trusted process."""

    device: DeviceIdentity

    async def ask(
        self, order: Order, progress: Callable[[Progress], Awaitable[None]] | None = None
    ) -> Report:
        """Carry out one order; orders queue, one at a time is on the device.

        Raises:
            RefereeLost: the process ended; the next `ask` starts a new one.
        """
        ...

    async def cancel(self, job: str) -> None:
        """End the order of this job, queued or running, with its process tree."""
        ...

    def load(self) -> Mapping[tuple[str, str], int]:
        """Open orders by lane (`compile`, `device`) and state (`waiting`, `running`)."""
        ...

    async def close(self) -> None:
        """End the process and everything below it."""
        ...


class Executor(Plugin, Protocol):
    """One way to run referees."""

    def open(
        self, device: DeviceIdentity, environment: Mapping[str, str] = MappingProxyType({})
    ) -> Referee:
        """A referee for this device; its process starts on the first order.

        `environment` is what the server's settings hand on (`Settings.for_referees`).
        """
        ...


class Format(Plugin, Protocol):
    """One problem format."""

    def recognises(self, folder: Path) -> bool:
        """Whether the folder looks like this format."""
        ...

    def read(self, folder: Path) -> Problem:
        """Read and check a problem folder.

        Raises:
            MalformedProblem: the file, the field and the reason.
        """
        ...

    def solution(self, path: Path, problem: Problem, *, language: str = "") -> Solution:
        """Read a solution file of this format, or a bare source in `language` or as its name tells.

        Raises:
            MalformedSolution: the field and the reason.
        """
        ...


class Rule(Plugin, Protocol):
    """One static rule: an early filter over a solution's text, never the only defence."""

    weight: Literal["refusal", "hint"]
    """A refusal is for what is never legitimate in a kernel; a hint refuses nothing."""
    summary: str
    """One line: what it is about."""

    def find(self, file: SourceFile) -> Iterator[Remark]:
        """Everything in one file that it is about; pure."""
        ...
