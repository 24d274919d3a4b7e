"""What one order has to work with: the device, its runners, built artifacts, and a way to stop.

A `Court` lives as long as the referee, and so does each that sits `aside` for another lane. They
share what is safe from every thread: the supply of runners, the artifacts, the quiet. Each has
one order at a time, with its own runners. Start at `Court.build`, then `Court.load`.
"""

import contextlib
import copy
import datetime
import functools
import platform
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import PurePosixPath

from pydantic import ValidationError

from guard import plugins
from guard.asks import CompileAsk, Compiled, KeepAsk, Kept, LoadAsk
from guard.compile import include_digest
from guard.domain.decision import Policy
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport, Environment
from guard.ports import Artifact, Device, DeviceIdentity, Language
from guard.referee.artifacts import Artifacts, Key, identified, tidied
from guard.referee.clerks import Clerk
from guard.referee.paces import Paces
from guard.referee.quiet import Quiet
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.supply import Supply
from guard.wire import FileEntry, PeerBabbles, pack_files, unpack_files

SEALED_FILE = re.compile(r"[a-z0-9_]+\.(cubin|json)")
LIBRARIES = ("torch", "triton", "cuda-core", "cuda-bindings", "numpy")


class OrderCancelled(Exception):
    """Somebody cancelled the order under way."""


class Court:
    """The device, its runners, and the artifacts built so far.

    Runners are pinned to `pin_cpu` (-1: to none), builders to the cores `building` (none: any).
    """

    def __init__(
        self,
        device: Device,
        identity: DeviceIdentity,
        *,
        pin_cpu: int,
        building: tuple[int, ...] = (),
    ) -> None:
        self.device = device
        self.identity = identity
        self.quiet = Quiet()
        running = () if pin_cpu < 0 else (pin_cpu,)
        self.supply = Supply(identity.kind, self.quiet, running=running, building=building)
        self._building = building
        self._artifacts = Artifacts()
        self.paces = Paces()
        self._begin_apart()

    def aside(self) -> "Court":
        """Another court of this referee, for another lane: it shares all but its one order."""
        other = copy.copy(self)
        other._begin_apart()
        return other

    def _begin_apart(self) -> None:
        self.clerk = Clerk(self._building)
        self.progress: Callable[[int, int, str], None] = lambda done, total, message: None
        self._live: set[Runner] = set()
        self._late = False
        self._leaving: list[Runner] = []
        """Killed after their use; their trees may still be there."""
        self._cancelled = threading.Event()
        self._headers: str | None = None
        """Digest of the extra headers; looked at once for each order that asks for it."""

    def language(self, solution: Solution) -> Language:
        """The plug-in for this solution's language."""
        language: Language = plugins.load("languages")[solution.language]
        return language

    def is_sealed(self, solution: Solution) -> bool:
        """Whether no host code of this solution runs in its runners on this device.

        A launch plan says what is launched. On a CPU the interpreter runs the source all the same.
        """
        return solution.launch_plan is not None and self.identity.kind != "cpu"

    def step(self, done: int, total: int, message: str) -> None:
        """Tell how far the order is, and stop here if it was cancelled.

        Raises:
            OrderCancelled: it was.
        """
        self.check_cancelled()
        self.progress(done, total, message)

    def check_cancelled(self) -> None:
        """Stop here if the order was cancelled.

        Raises:
            OrderCancelled: it was.
        """
        if self._cancelled.is_set():
            raise OrderCancelled

    def cancel(self) -> None:
        """Stop the order under way: called from another thread."""
        self._cancelled.set()
        for runner in tuple(self._live):
            runner.kill()

    def resume(self) -> None:
        """Forget a cancellation: the next order starts, perhaps with other headers."""
        self._cancelled.clear()
        self._headers = None

    @contextmanager
    def runner(
        self, policy: Policy, shared_bytes: int = 0, *, fresh: bool = False
    ) -> Iterator[Runner]:
        """A runner of one's own, which will map so much of our memory; its tree is gone afterwards.

        `fresh`: made only now, so that what a candidate did before shows in it.
        """
        made = self.supply.fresh if fresh else self.supply.ready
        with self._lasting(made(policy, shared_bytes)) as runner:
            yield runner

    @contextmanager
    def _lasting(self, runner: Runner) -> Iterator[Runner]:
        self._live.add(runner)
        try:
            self.check_cancelled()
            yield runner
        finally:
            self._live.discard(runner)
            if self._late:
                runner.kill()
                self._leaving.append(runner)
            else:
                self.supply.end(runner)
            self.device.forget(runner.pid)

    @contextmanager
    def ending_late(self) -> Iterator[None]:
        """In this block runners are killed after their use, and `settle` waits for their trees."""
        self._late = True
        try:
            yield
        finally:
            self._late = False

    def settle(self) -> None:
        """Wait until the trees of all runners that were used are gone.

        Raises:
            RefereeLost: one did not go away.
        """
        with contextlib.ExitStack() as stack:
            for runner in self._leaving:
                stack.callback(self.supply.end, runner)
            self._leaving = []

    def build(self, solution: Solution, policy: Policy) -> Artifact:
        """Compile in a builder of its own, or return what was built before.

        A builder that came to no end, such as on a busy host, says nothing about the solution: how
        it failed is told, and not kept.
        """
        key = self._key(solution)
        known = self._artifacts.known(key)
        if known is not None:
            return known
        with self._artifacts.building(key):
            known = self._artifacts.known(key)
            if known is not None:
                return known
            artifact = self._built(solution, policy)
            if artifact.report.ok or artifact.report.ended:
                self._artifacts.remember(key, artifact)
        return artifact

    def _built(self, solution: Solution, policy: Policy) -> Artifact:
        """What a fresh builder makes of it."""
        ask = CompileAsk(solution=solution, architecture=self.identity.architecture)
        with self._lasting(self.supply.builder(policy)) as builder:
            try:
                answer, blob = builder.ask(ask, policy.compile_limit_s, expect=Compiled)
                report = tidied(CompileReport.model_validate(answer.report))
                files = self.loadable(solution, answer.files, blob)
                return identified(self.language(solution), solution, Artifact(report, files))
            except (RunnerFailed, PeerBabbles, ValidationError) as error:
                self.check_cancelled()
                message = f"{error}\n{builder.output()}".strip()
                return Artifact(tidied(CompileReport(ok=False, messages=message, ended=False)))

    def _key(self, solution: Solution) -> Key:
        if self._headers is None:
            self._headers = include_digest()
        versions = (f"{name} {version}" for name, version in libraries().items())
        return (solution.digest, self.identity.architecture, self._headers, *versions)

    def loadable(
        self, solution: Solution, table: Sequence[FileEntry], blob: bytes
    ) -> dict[str, bytes]:
        """What a builder left, for later runners.

        A builder may have run the candidate's Python, so of a sealed solution only such files are
        handed on as neither the interpreter nor the linker would take for code.
        """
        files = unpack_files(table, blob)
        if not self.is_sealed(solution):
            return files
        return {path: data for path, data in files.items() if SEALED_FILE.fullmatch(path)}

    def load(self, solution: Solution, policy: Policy, runner: Runner) -> None:
        """Load a built solution into a fresh runner.

        Raises:
            RunnerFailed: it does not compile, or could not be loaded.
        """
        artifact = self.build(solution, policy)
        if not artifact.report.ok:
            raise RunnerFailed("COMPILE_ERROR", artifact.report.messages)
        runner.lay_bait(policy.load_limit_s)
        table, blob = pack_files(artifact.files)
        ask = LoadAsk(device=self.identity.kind, solution=solution, files=table)
        runner.ask(ask, policy.load_limit_s, blob)

    def keep_warm(self, solution: Solution, runner: Runner, policy: Policy) -> None:
        """Freeze the caches a first runner filled, for later runners of the same solution."""
        if self.is_sealed(solution):
            # Nothing is compiled at a call, and nothing but cubins may reach a runner.
            return
        key = self._key(solution)
        artifact = self._artifacts.to_be_warmed(key)
        if artifact is None:
            return
        try:
            answer, blob = runner.ask(KeepAsk(), policy.load_limit_s, expect=Kept)
            # Only its caches: a candidate must not replace what it handed in.
            files = unpack_files(answer.files, blob)
            kept = {p: data for p, data in files.items() if PurePosixPath(p).parts[0] == "cache"}
        except (RunnerFailed, PeerBabbles):
            # Later runners start cold then; no verdict rests on this.
            return
        if kept:
            warm = Artifact(artifact.report, {**artifact.files, **kept})
            self._artifacts.remember(key, warm)

    def environment(self, grade: int) -> Environment:
        """Where an evaluation of now takes place."""
        return Environment(hardware=self.identity.hardware, libs=libraries(), sandbox_grade=grade)

    def close(self) -> None:
        """End everything below this process."""
        self.leave()
        self.supply.close()

    def leave(self) -> None:
        """End what the order of this lane alone has."""
        for runner in (*self._live, *self._leaving):
            self.supply.end(runner)
        self.clerk.close()


def libraries() -> dict[str, str]:
    """Versions of what takes part in an evaluation."""
    return dict(_versions())


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    # They stay what they were when this process imported them, and looking costs milliseconds.
    found = [("python", platform.python_version())]
    for name in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append((name, metadata.version(name)))
    return tuple(found)


def now() -> str:
    """The current time, ISO 8601, UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def fresh_seed() -> int:
    """A seed that no other process can know."""
    return secrets.randbits(62)
