"""One runner: walls itself in, then answers the referee's asks until the referee is done.

Everything after `Load` may be under the candidate's control, so nothing here is trusted by
anyone. The broad except is the house's one place for it: whatever a candidate raises becomes a
`Raised` answer. Start at `serve`.
"""

import contextlib
import os
import resource
import socket
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guard import landlock, plugins, sandbox, seccomp
from guard.asks import (
    ASKS,
    GO,
    AttachAsk,
    AuditAsk,
    BindAsk,
    BlockAsk,
    CallAsk,
    CaptureAsk,
    CompileAsk,
    Compiled,
    Done,
    ExpectedAsk,
    KeepAsk,
    Kept,
    LoadAsk,
    PipeAsk,
    PrepareAsk,
    Raised,
    Ready,
    Returned,
    Spawn,
    StandByAsk,
    WarmAsk,
)
from guard.domain.value import Value
from guard.runner.capture import Bench, WrongReturn
from guard.runner.expected import hold
from guard.spinning import until_readable
from guard.wire import PeerGone, encode, pack_files, parse, receive, send, unpack_files

MAX_MESSAGE = 4000
# Folders below scratch whose files make a later runner of the same candidate start warm.
CACHES = {"TRITON_CACHE_DIR": "cache/triton", "TORCHINDUCTOR_CACHE_DIR": "cache/inductor"}
MAX_KEPT_BYTES = 64 * 2**20
# "Go" follows within some microseconds; whoever waits in vain goes to sleep after all.
STAND_BY_S = 0.1
# Frames as they travel: while a clock runs, nothing is parsed and nothing put into words.
BEGINS = {frame: long for long, frame in GO.items()}
LONGEST_GO = max(map(len, BEGINS))
DONE = encode(Done())


def begin(order: Spawn, walls: sandbox.Walls, sock: socket.socket) -> None:
    """Put up the walls and serve."""
    readable = (*sandbox.needed_paths(), *order.readable)
    sandbox.mounts(
        walls, scratch=order.scratch, uid=order.uid, size_bytes=order.file_bytes, readable=readable
    )
    scratch = sandbox.own_folder(walls, scratch=order.scratch, uid=order.uid)
    construct_environment(scratch)
    if order.cpus:
        os.sched_setaffinity(0, order.cpus)
    sandbox.limits(
        walls,
        memory_bytes=order.memory_bytes,
        file_bytes=order.file_bytes,
        processes=order.processes,
    )
    sandbox.identity(walls, order.uid, readable)
    # The kernel forgets this request when the user id changes.
    sandbox.die_with_parent()
    landlock.restrict(walls, readable=readable, writable=(scratch,))
    seccomp.install(walls, limited=order.memory_bytes > 0)
    os.chdir(scratch)
    # Last, so that nothing there stands before what the house itself imports.
    sys.path.extend(sandbox.extra_paths(sandbox.PYTHON))
    send(sock, Ready(held=tuple(walls.held), fell=walls.why))
    serve(sock, Path(scratch))


def construct_environment(scratch: str) -> None:
    """Nothing of the house's environment reaches a candidate, save where the GPU toolkit lies."""
    names = ("CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CXX", sandbox.INCLUDE, sandbox.PYTHON)
    kept = {name: os.environ[name] for name in names if name in os.environ}
    os.environ.clear()
    os.environ.update(kept)
    os.environ.update(
        PATH="/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin",
        HOME=scratch,
        TMPDIR=scratch,
        LANG="C.UTF-8",
        OMP_NUM_THREADS="1",
        TORCHINDUCTOR_COMPILE_THREADS="1",
        PYTHONDONTWRITEBYTECODE="1",
        USER="runner",
    )
    for name, folder in CACHES.items():
        os.environ[name] = f"{scratch}/{folder}"


def serve(sock: socket.socket, scratch: Path) -> None:
    """Answer asks until the referee closes the socket."""
    worker = Worker(scratch)
    while True:
        try:
            text, blob, fds = receive(sock, max_fds=1)
        except PeerGone:
            return
        ask = None
        try:
            ask = parse(ASKS, text)
            answer, data = worker.answer(ask, blob, fds)
        except BaseException as error:
            answer, data = _raised(error), b""
        send(sock, answer, data)
        if isinstance(ask, StandByAsk):
            begin_at_go(sock, worker)


def begin_at_go(sock: socket.socket, worker: "Worker") -> None:
    """Wait for "go" without sleeping and begin at once; whatever else comes is left to `serve`."""
    until_readable(sock, STAND_BY_S)
    frame = b""
    with contextlib.suppress(BlockingIOError):
        frame = sock.recv(LONGEST_GO, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    if frame not in BEGINS:
        return
    sock.recv(len(frame))
    try:
        returned = worker.block(long=BEGINS[frame])
        answer = encode(Done(returned=returned)) if returned else DONE
    except BaseException as error:
        answer = encode(_raised(error))
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        sock.sendall(answer)


class Worker:
    """The state of one runner: at most one candidate."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._bench: Bench | None = None
        self._kernel: Any = None
        self._device: Any = None
        self._arenas: dict[str, Any] = {}

    def answer(self, ask: Any, blob: bytes, fds: list[int]) -> tuple[Value, bytes]:
        """Carry out one ask."""
        match ask:
            case CompileAsk():
                return self._compile(ask)
            case WarmAsk() | StandByAsk():
                self._warm(ask)
            case LoadAsk():
                self._load(ask, unpack_files(ask.files, blob))
            case AttachAsk():
                self._arenas[ask.purpose] = self._device.attach(ask.handle, fds)
            case BindAsk():
                self._bench = Bench(self._kernel, self._device, self._arenas["slots"], ask)
            case PrepareAsk():
                return Done(prepared=self._bound().prepare(ask.set)), b""
            case CallAsk() | CaptureAsk() | AuditAsk() | BlockAsk():
                return Done(returned=self._called(ask)), b""
            case PipeAsk() | ExpectedAsk():
                hold(ask, fds, self._scratch)
            case KeepAsk():
                table, data = pack_files(_below(self._scratch / "cache", self._scratch))
                return Kept(files=table), data
        return Done(), b""

    def _called(
        self, ask: CallAsk | CaptureAsk | AuditAsk | BlockAsk
    ) -> tuple[tuple[Returned, ...], ...]:
        """What has to do with calls; says where returned outputs lie."""
        bench = self._bound()
        match ask:
            case CallAsk():
                return (bench.call(ask.slot),)
            case CaptureAsk():
                return bench.capture(ask)
            case AuditAsk():
                return bench.audit(ask, self._arenas["folds"])
            case BlockAsk():
                return self.block(long=ask.long)

    def block(self, *, long: bool) -> tuple[tuple[Returned, ...], ...]:
        """Run one of the blocks that were made ready; says where new outputs lie."""
        return self._bound().block(long)

    def _bound(self) -> Bench:
        if self._bench is None:
            raise RuntimeError("nothing is bound")
        return self._bench

    def _compile(self, ask: CompileAsk) -> tuple[Value, bytes]:
        language = plugins.load("languages")[ask.solution.language]
        artifact = language.compile(ask.solution, ask.architecture, self._scratch)
        table, data = pack_files(artifact.files)
        return Compiled(report=artifact.report.model_dump(mode="json"), files=table), data

    def _warm(self, ask: WarmAsk | StandByAsk) -> None:
        if isinstance(ask, StandByAsk):
            self._device.stand_by()
            return
        plugins.load("devices")[ask.device].prepare()
        if ask.memory_bytes:
            sandbox.limit_memory(ask.memory_bytes)

    def _load(self, ask: LoadAsk, files: Mapping[str, bytes]) -> None:
        for path, data in files.items():
            target = self._scratch / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        self._device = plugins.load("devices")[ask.device]
        self._device.prepare()
        self._kernel = plugins.load("languages")[ask.solution.language].load(
            ask.solution, self._scratch
        )


def _below(folder: Path, base: Path) -> dict[str, bytes]:
    """The files below `folder` by path relative to `base`, within a size limit."""
    files: dict[str, bytes] = {}
    left = MAX_KEPT_BYTES
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= left:
            files[str(path.relative_to(base))] = path.read_bytes()
            left -= len(files[str(path.relative_to(base))])
    return files


def _raised(error: BaseException) -> Raised:
    if isinstance(error, WrongReturn):
        return Raised(status=error.status, message=error.message)
    return Raised(message=_told(error))


def _told(error: BaseException) -> str:
    """The exception with its place in the candidate's source: the house's frames left out."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f for f in frames if "/guard/" not in f.filename][-3:]
    where = "".join(f"  {Path(f.filename).name}:{f.lineno} in {f.name}: {f.line}\n" for f in places)
    if isinstance(error, MemoryError):
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        where += f"  (address space is limited to {soft:,} bytes)\n"
    return f"{type(error).__name__}: {error}\n{where}"[:MAX_MESSAGE]
