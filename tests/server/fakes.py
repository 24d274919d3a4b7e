"""An executor whose referee reads the outcome out of the source's first words, at once.

``gain 0.3``: faster than the baseline by that log-ratio, ``gain-n64 0.2``: so much more on that
workload; ``wrong``, ``broken`` (does not compile),
``forbidden`` (a static rule refuses it), ``odd`` (correct, with a hint), ``hangs`` (runs out of
time), ``code 5`` (compiles to the same machine code as whatever says so too),
``echo`` (everything it says is the source), ``slow 5 gain 0.3`` (takes
seconds to verify). Everything else in these tests is the real thing.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from guard.domain.bound import Bound
from guard.domain.errors import MalformedSolution
from guard.domain.machine_code import Instructions, KernelResources
from guard.domain.probe import Neighbours, Probe
from guard.domain.problem import Problem
from guard.domain.solution import Solution, Source
from guard.domain.spent import Spent
from guard.domain.trace import Baseline, CompileReport, Remark, Verification
from guard.formats.sol_execbench import FORMAT
from guard.packed import pack
from guard.ports import Artifact, DeviceIdentity, Kernel, Referee
from guard.wire import (
    BaselineOrder,
    BaselineReport,
    Cancelled,
    DoctorOrder,
    DoctorReport,
    DuelOrder,
    DuelReport,
    Layer,
    Order,
    Progress,
    Report,
    VerifyOrder,
    VerifyReport,
)
from server.bootstrap import Plugins
from tests.guard.duels import duel, failed, passed, verification, wrong

CPU = DeviceIdentity(name="cpu", kind="cpu", hardware="a cpu", architecture="x86-64-v3")
Listener = Callable[[Progress], Awaitable[None]]


class FakeReferee:
    """Answers orders by the words of the sources; one order's wait can be cancelled."""

    def __init__(self, device: DeviceIdentity) -> None:
        self.device = device
        self.cancelled: list[str] = []
        self.finished: list[str] = []
        self.closed = False
        self.open = 0
        self._stops: dict[str, asyncio.Event] = {}

    async def ask(self, order: Order, progress: Listener | None = None) -> Report:
        """Carry out one order."""
        if progress is not None:
            await progress(Progress(job=order.job, done=0, total=1, message="working"))
        source = order.solution.source if isinstance(order, VerifyOrder) else ""
        stop = self._stops.setdefault(order.job, asyncio.Event())
        self.open += 1
        try:
            await asyncio.wait_for(stop.wait(), _after(source, "slow"))
        except TimeoutError:
            self.finished.append(order.job)
            return _answer(order).model_copy(update={"spent": SPENT[order.type]})
        finally:
            self.open -= 1
        return Cancelled(job=order.job)

    async def cancel(self, job: str) -> None:
        """End the order of this job."""
        self.cancelled.append(job)
        self._stops.setdefault(job, asyncio.Event()).set()

    def load(self) -> Mapping[tuple[str, str], int]:
        """What waits for its time."""
        return {("device", "running"): self.open}

    async def close(self) -> None:
        """Nothing to end."""
        self.closed = True


class FakeExecutor:
    """Opens fake referees and remembers them."""

    name = "local"

    def __init__(self) -> None:
        self.referees: list[FakeReferee] = []

    def unavailable(self) -> str | None:
        """Always available."""
        return None

    def open(self, device: DeviceIdentity, environment: object = None) -> Referee:
        """One fake referee."""
        self.referees.append(FakeReferee(device))
        return self.referees[-1]


class FakeDevice:
    """A kind with one device; what a referee would need of it is never called."""

    name = "cpu"

    def unavailable(self) -> str | None:
        """Always available."""
        return None

    def found(self) -> tuple[DeviceIdentity, ...]:
        """The one device."""
        return (CPU,)


class FakeLanguage:
    """A language that accepts everything but options."""

    def __init__(self, name: str, reason: str | None = None, untimed: str | None = None) -> None:
        self.name = name
        self.suffix = f".{name}"
        self.summary = f"Sources in {name}."
        self._reason = reason
        self._untimed = untimed

    def unavailable(self) -> str | None:
        """As given."""
        return self._reason

    def warm(self, device_kind: str) -> None:
        """Never called: the referee is a fake."""
        raise AssertionError("nothing is compiled or loaded here: the referee is a fake")

    def runs_on(self, device_kind: str) -> str | None:
        """Everywhere."""
        return None

    def timed_on(self, device_kind: str) -> str | None:
        """As given."""
        return self._untimed

    def check(self, solution: Solution) -> None:
        """Refuse options."""
        if solution.options:
            raise MalformedSolution("options", "this language takes none")

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Never called: the referee is a fake."""
        raise AssertionError("nothing is compiled or loaded here: the referee is a fake")

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """Never called: the referee is a fake."""
        raise AssertionError("nothing is compiled or loaded here: the referee is a fake")

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Never called: the referee is a fake."""
        raise AssertionError("nothing is compiled or loaded here: the referee is a fake")


def plugins(executor: FakeExecutor | None = None) -> Plugins:
    """An installation of fakes around the real problem format."""
    return Plugins(
        languages={
            "cpp": FakeLanguage("cpp"),
            "cuda": FakeLanguage("cuda", "there is no CUDA compiler"),
            "triton": FakeLanguage("triton", untimed="it is interpreted here, never timed"),
        },
        devices={"cpu": FakeDevice()},
        executors={"local": executor or FakeExecutor()},
        formats={"sol_execbench": FORMAT},
    )


SPENT = {
    "baseline": Spent(device_s=8),
    "verify": Spent(wait_s=0.5, compile_s=1, device_s=2),
    "duel": Spent(device_s=0.25),
    "doctor": Spent(),
}
"""What each kind of order is said to have cost."""
FAULTS = {"hangs": failed(), "wrong": wrong()}
REMARK = Remark(rule="odd-rule", path="main.cpp", line=3, evidence="does something odd")
NEAR = Neighbours()
BOUND = Bound(bound_ms=0.25, resource="memory")
PROBES: tuple[Probe, ...] = ()
"""What the fake referee says of wrong answers; tests of that replace it."""


def _answer(order: Order) -> Report:
    if isinstance(order, BaselineOrder):
        return BaselineReport(job=order.job, baseline=_baseline(order.problem))
    if isinstance(order, VerifyOrder):
        return VerifyReport(job=order.job, verification=_screened(order))
    if isinstance(order, DoctorOrder):
        layers = (Layer(name="own process", works=True, detail="tried"),)
        return DoctorReport(job=order.job, grade=2, layers=layers, libs={"python": "3"})
    assert isinstance(order, DuelOrder)
    gains = {
        w.uuid: _gain(order.candidate, w.uuid)
        - _gain(order.champion, w.uuid)
        - math.log1p(order.handicap)
        for w in order.problem.cpu_workloads
    }
    numbers = duel(*(gains for _ in range(order.pairs)))
    sides = {"champion": order.champion.digest, "candidate": order.candidate.digest}
    return DuelReport(job=order.job, duel=numbers.model_copy(update=sides))


def _baseline(problem: Problem) -> Baseline:
    source = Source(path="baseline.py", content="gain 0.0 eager")
    solution = Solution(definition=problem.definition.name, language="cpp", sources=(source,))
    latency_ms = {w.uuid: 1.0 for w in problem.cpu_workloads}
    return Baseline(
        kind="eager",
        solution=solution,
        latency_ms=latency_ms,
        contenders={},
        probes=PROBES,
        neighbours=NEAR,
        bounds=dict.fromkeys(latency_ms, BOUND),
    )


def _screened(order: VerifyOrder) -> Verification:
    verification = _verified(order)
    code = _after(order.solution.source, "code")
    if not code:
        return verification
    told = {"code_digest": f"{int(code):064x}"}
    compiled = verification.compiled.model_copy(update=told)
    found = verification.model_copy(update={"compiled": compiled})
    known = compiled.code_digest in order.known
    return found.model_copy(update={"judgements": ()}) if known else found


def _verified(order: VerifyOrder) -> Verification:
    source = order.solution.source
    if "narrow" in source:
        uuids = [w.uuid for w in order.problem.cpu_workloads]
        return verification(*uuids, **{"hidden-1": passed(), "hidden-2": wrong()})
    if "broken" in source:
        report = CompileReport(ok=False, messages="error: \x1b[31mexpected ';'\x1b[0m")
        return Verification(compiled=report, judgements=())
    uuids = [w.uuid for w in order.problem.cpu_workloads]
    if "forbidden" in source:
        log = f"refused: {REMARK}"
        refused = failed("REWARD_HACK").model_copy(update={"log": log})
        found = verification(**dict.fromkeys(uuids, refused))
        return found.model_copy(update={"compiled": CompileReport(ok=False)})
    if "echo" in source:
        said = failed("REWARD_HACK").model_copy(update={"log": source[:4_000]})
        found = verification(**dict.fromkeys(uuids, said))
        report = CompileReport(
            ok=True,
            messages=source,
            hints=(REMARK,),
            resources=(KernelResources(kernel=source, registers=1, shared_bytes=0, spill_bytes=0),),
            instructions=(Instructions(kernel=source, total=1, classes={}),),
            listings=(pack("sass", source), pack("asm", "".join(reversed(source)))),
            unlisted=source[:400],
        )
        return found.model_copy(update={"compiled": report})
    if fault := next((found for word, found in FAULTS.items() if word in source), None):
        return verification(uuids[0], **{uuids[1]: fault})
    kernel = KernelResources(kernel="run", registers=32, shared_bytes=1024, spill_bytes=0)
    hints = (REMARK,) if "odd" in source else ()
    report = CompileReport(
        ok=True,
        resources=(kernel,),
        hints=hints,
        architecture="sm_90a",
        instructions=(Instructions(kernel="run", total=9, classes={"ffma": 4}),),
        listings=(pack("sass", "\n".join(f"/*{i:04x}*/ FFMA R{i} ;" for i in range(200))),),
    )
    return verification(*uuids).model_copy(update={"compiled": report})


def _gain(solution: Solution, uuid: str) -> float:
    return _after(solution.source, "gain") + _after(solution.source, f"gain-{uuid}")


def _after(source: str, word: str) -> float:
    words = source.split()
    return float(words[words.index(word) + 1]) if word in words else 0.0
