"""What one order has to work with: the device, its runners, built artifacts, and a way to stop.

A `Court` lives as long as the referee. Start at `Court.build`, then `Court.load`.
"""

import datetime
import platform
import re
import secrets
import threading
from collections import OrderedDict
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
from guard.plain import plain
from guard.ports import Artifact, Device, DeviceIdentity, Language
from guard.referee.clerks import Clerk
from guard.referee.runners import Runner, RunnerFailed
from guard.referee.spawning import Zygote
from guard.wire import FileEntry, PeerBabbles, pack_files, unpack_files

MAX_ARTIFACTS = 64
MAX_ARTIFACT_BYTES = 512 * 2**20
"""Of all artifacts kept; the one in use stays, whatever its size. Candidates decide how large."""
MAX_MESSAGES, MAX_RESOURCES, MAX_KERNEL_NAME = 4000, 256, 1024
"""Characters, kernels, characters of a builder's report that are kept."""
SEALED_FILE = re.compile(r"[a-z0-9_]+\.(cubin|json)")
LIBRARIES = ("torch", "triton", "cuda-core", "cuda-bindings", "numpy")


class OrderCancelled(Exception):
    """Somebody cancelled the order under way."""


class Court:
    """The device, its zygote, and the artifacts built so far."""

    def __init__(self, device: Device, identity: DeviceIdentity, *, pin_cpu: int) -> None:
        self.device = device
        self.identity = identity
        self.zygote = Zygote(identity.kind, pin_cpu=pin_cpu)
        self.clerk = Clerk()
        self.progress: Callable[[int, int, str], None] = lambda done, total, message: None
        self._artifacts: OrderedDict[str, Artifact] = OrderedDict()
        self._warmed: set[str] = set()
        self._live: set[Runner] = set()
        self._cancelled = threading.Event()
        self._headers = include_digest()

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
        self._headers = include_digest()

    @contextmanager
    def runner(self, policy: Policy, shared_bytes: int = 0) -> Iterator[Runner]:
        """A fresh runner, which will map so much of our memory; its tree is gone afterwards."""
        runner = self.zygote.spawn(policy, shared_bytes)
        self._live.add(runner)
        try:
            self.check_cancelled()
            yield runner
        finally:
            self._live.discard(runner)
            runner.close()
            self.device.forget(runner.pid)

    def build(self, solution: Solution, policy: Policy) -> Artifact:
        """Compile in a runner of its own, or return what was built before."""
        known = self._artifacts.get(self._key(solution))
        if known is not None:
            self._artifacts.move_to_end(self._key(solution))
            return known
        with self.runner(policy) as builder:
            ask = CompileAsk(solution=solution, architecture=self.identity.architecture)
            try:
                answer, blob = builder.ask(ask, policy.compile_limit_s, expect=Compiled)
                report = tidied(CompileReport.model_validate(answer.report))
                artifact = Artifact(report, self.loadable(solution, answer.files, blob))
            except (RunnerFailed, PeerBabbles, ValidationError) as error:
                self.check_cancelled()
                message = f"{error}\n{builder.output()}".strip()
                artifact = Artifact(tidied(CompileReport(ok=False, messages=message)))
        return self._remember(solution, artifact)

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
        artifact = self._artifacts.get(self._key(solution))
        if artifact is None or self._key(solution) in self._warmed:
            return
        if self.is_sealed(solution):
            # Nothing is compiled at a call, and nothing but cubins may reach a runner.
            return
        # Whatever comes of it: no later runner has a say in what the others start with.
        self._warmed.add(self._key(solution))
        try:
            answer, blob = runner.ask(KeepAsk(), policy.load_limit_s, expect=Kept)
            # Only its caches: a candidate must not replace what it handed in.
            files = unpack_files(answer.files, blob)
            kept = {p: data for p, data in files.items() if PurePosixPath(p).parts[0] == "cache"}
        except (RunnerFailed, PeerBabbles):
            # Later runners start cold then; no verdict rests on this.
            return
        if kept:
            self._remember(solution, Artifact(artifact.report, {**artifact.files, **kept}))

    def environment(self, grade: int) -> Environment:
        """Where an evaluation of now takes place."""
        return Environment(hardware=self.identity.hardware, libs=libraries(), sandbox_grade=grade)

    def close(self) -> None:
        """End everything below this process."""
        for runner in tuple(self._live):
            runner.close()
        self.zygote.close()
        self.clerk.close()

    def _key(self, solution: Solution) -> str:
        return solution.digest + self._headers

    def _remember(self, solution: Solution, artifact: Artifact) -> Artifact:
        self._artifacts[self._key(solution)] = artifact
        self._artifacts.move_to_end(self._key(solution))
        while len(self._artifacts) > 1 and self._hoards():
            self._warmed.discard(self._artifacts.popitem(last=False)[0])
        return artifact

    def _hoards(self) -> bool:
        held = self._artifacts.values()
        size_bytes = sum(len(data) for artifact in held for data in artifact.files.values())
        return len(held) > MAX_ARTIFACTS or size_bytes > MAX_ARTIFACT_BYTES


def tidied(report: CompileReport) -> CompileReport:
    """A builder's report within bounds: the candidate's Python may have written all of it."""
    resources = (
        each.model_copy(update={"kernel": plain(each.kernel)[:MAX_KERNEL_NAME]})
        for each in report.resources[:MAX_RESOURCES]
    )
    return report.model_copy(
        update={
            "messages": plain(report.messages)[:MAX_MESSAGES],
            "resources": tuple(resources),
            "hints": (),
        }
    )


def libraries() -> dict[str, str]:
    """Versions of what takes part in an evaluation."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def now() -> str:
    """The current time, ISO 8601, UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def fresh_seed() -> int:
    """A seed that no other process can know."""
    return secrets.randbits(62)
