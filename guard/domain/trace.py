"""What was observed and judged: evaluations, timings, duels, traces.

An `Evaluation` is a union tagged by SOL-ExecBench's status strings; a candidate's own failure is
such a value, never an exception. Latencies are milliseconds of one call.

Start at `Evaluation`, then `Duel`. Not here: the decision drawn from them (`decision`).
"""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from guard.domain.bound import Bound
from guard.domain.conditions import Conditions
from guard.domain.machine_code import Instructions, KernelResources, Listing
from guard.domain.probe import Neighbours, Probe
from guard.domain.problem import Workload
from guard.domain.solution import Solution
from guard.domain.value import Finite, Milliseconds, Value


class Environment(Value):
    """Where an evaluation took place."""

    hardware: str
    """The device's name, such as ``NVIDIA H200``."""
    libs: dict[str, str]
    """Versions of what took part: python, torch, triton, compiler, driver…"""
    sandbox_grade: int = 0
    """What isolated the candidate: 0 nothing, 1 limits, 2 own uid or Landlock, 3 namespaces."""


class Correctness(Value):
    """How close the outputs came, over every element compared."""

    max_relative_error: Finite
    max_absolute_error: Finite
    has_nan: bool = False
    has_inf: bool = False
    matched_ratio: Annotated[Finite, Field(ge=0, le=1)] = 1.0
    """The smallest share of elements within tolerance, over outputs and calls."""


class Performance(Value):
    """The time of one call against the baseline's, measured in turn with it."""

    latency_ms: Milliseconds
    reference_latency_ms: Milliseconds
    """The local baseline's latency (SOL-ExecBench's field name)."""
    speedup_factor: Annotated[Finite, Field(gt=0)]
    warm_latency_ms: Milliseconds | None = None
    """One slot called again and again, its data in cache; no decision rests on it."""
    prepare_ms: Milliseconds | None = None
    """What preparing one set of constant inputs took; no decision rests on it."""


class _Judged(Value):
    environment: Environment
    timestamp: str
    """ISO 8601, UTC."""
    log: str = ""
    """One calm sentence of evidence, then the tail of what the candidate printed."""


class Passed(_Judged):
    """Correct on every call; not timed (yet)."""

    status: Literal["PASSED"] = "PASSED"
    correctness: Correctness


class Timed(_Judged):
    """Correct on every call, timed calls included."""

    status: Literal["PASSED"] = "PASSED"
    correctness: Correctness
    performance: Performance


class IncorrectNumerical(_Judged):
    """An element was not written, not finite, or too far off."""

    status: Literal["INCORRECT_NUMERICAL"] = "INCORRECT_NUMERICAL"
    correctness: Correctness


class Failed(_Judged):
    """Any failure without comparable numbers."""

    status: Literal[
        "INVALID_REFERENCE", "INCORRECT_SHAPE", "INCORRECT_DTYPE", "RUNTIME_ERROR",
        "COMPILE_ERROR", "TIMEOUT", "REWARD_HACK",
    ]  # fmt: skip


def _tag(value: Any) -> str:
    fields = value if isinstance(value, dict) else vars(value)
    status = fields.get("status")
    if status == "PASSED":
        return "timed" if fields.get("performance") is not None else "passed"
    return "incorrect" if status == "INCORRECT_NUMERICAL" else "failed"


Evaluation = Annotated[
    Annotated[Passed, Tag("passed")]
    | Annotated[Timed, Tag("timed")]
    | Annotated[IncorrectNumerical, Tag("incorrect")]
    | Annotated[Failed, Tag("failed")],
    Discriminator(_tag),
]


NO_EVIDENCE = frozenset({"TIMEOUT", "INVALID_REFERENCE"})
"""Statuses that say nothing certain of a candidate."""
HIDDEN = "hidden-"
"""What the id of a hidden neighbour begins with, and no workload's uuid may."""


class Judgement(Value):
    """One workload's evaluation, or that of a hidden neighbour: checked, never timed."""

    workload: str
    """The workload's uuid, or ``hidden-1``, ``hidden-2``…"""
    evaluation: Evaluation

    @property
    def hidden(self) -> bool:
        """Whether it belongs to a shape that no file lists."""
        return self.workload.startswith(HIDDEN)


class Remark(Value):
    """What a static rule noticed in a solution's source."""

    rule: str
    path: Annotated[str, Field(max_length=200)]
    line: Annotated[int, Field(ge=1)]
    evidence: Annotated[str, Field(max_length=200)]

    def __str__(self) -> str:
        return f"{self.rule}, {self.evidence} ({self.path}:{self.line})"


class CompileReport(Value):
    """What reading and compiling gave.

    Messages are the compiler's, trimmed and without control characters.
    """

    ok: bool
    messages: str = ""
    resources: tuple[KernelResources, ...] = ()
    hints: tuple[Remark, ...] = ()
    """What static rules noticed beforehand; no verdict rests on it."""
    duration_s: Annotated[Finite, Field(ge=0)] = 0.0
    ended: bool = True
    """Whether compiling came to its own end. Who was stopped at a limit, or died, has shown
    nothing: a busy host can be the cause."""
    architecture: Annotated[str, Field(pattern=r"^(sm_[0-9]{2,3}[a-z]?)?$")] = ""
    """That it was compiled for, where it is a GPU's."""
    instructions: tuple[Instructions, ...] = ()
    code_digest: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    """Equal where the machine code is the same but for its names: see `guard.code_digest`."""
    listings: Annotated[tuple[Listing, ...], Field(max_length=3)] = ()
    unlisted: Annotated[str, Field(max_length=400)] = ""
    """Why there is no machine code to read, or not all of it."""


class Verification(Value):
    """The whole answer to *is it correct?*: nothing in it was timed."""

    compiled: CompileReport
    judgements: tuple[Judgement, ...]
    """One per workload that was reached, in file order; then one per hidden neighbour."""
    note: str = ""
    """Why nothing could be verified, such as ``compiled, not verified: no GPU here``."""
    sealed: bool = False
    """Whether no host code of the candidate ran where its calls ran: device code alone."""

    @property
    def conclusive(self) -> bool:
        """Whether it says something of the candidate: not if all that failed was out of time.

        A busy host can be the cause of that, and what the reference fails on is no fault of the
        candidate's.
        """
        failed = {j.evaluation.status for j in self.judgements} - {"PASSED"}
        ended = self.compiled.ok or self.compiled.ended
        return ended and not (failed and failed <= NO_EVIDENCE)

    @property
    def passed(self) -> bool:
        """Everything was judged and passed."""
        return bool(self.judgements) and all(
            j.evaluation.status == "PASSED" for j in self.judgements
        )

    @property
    def listed(self) -> tuple[Judgement, ...]:
        """The judgements of workloads: what may be timed."""
        return tuple(j for j in self.judgements if not j.hidden)

    @property
    def refused(self) -> bool:
        """A static rule refused it, so it was not compiled."""
        judged = {j.evaluation.status for j in self.judgements}
        return not self.compiled.ok and judged == {"REWARD_HACK"}


class WorkloadTiming(Value):
    """One workload in one process pair; the i-th figures of both sides form a pair."""

    workload: str
    champion_ms: tuple[float, ...]
    """Per turn, from blocks timed outside the process; non-positive when the clock was fooled."""
    candidate_ms: tuple[float, ...]
    champion_conditions: tuple[Conditions, ...] = ()
    """Per turn, right after that side's long block; none where a device tells nothing."""
    candidate_conditions: tuple[Conditions, ...] = ()
    champion_audit_ms: tuple[float, ...] = ()
    """Per half turn, a call with its fold in audit blocks, which force the calls into order."""
    candidate_audit_ms: tuple[float, ...] = ()
    candidate_warm_ms: Milliseconds | None = None
    """Of one call whose data are in cache; taken in a duel's first pair alone."""
    candidate_prepare_ms: Milliseconds | None = None
    """Median over sets of constant inputs; none where it prepares nothing."""
    calls: int
    """Calls in the long block."""
    mode: Literal["graph", "host"]
    """``graph``: captured calls, device time; ``host``: with the host's share."""


class ProcessPair(Value):
    """One fresh process for each side, timed in turn A B B A."""

    swapped: bool
    """Whether the candidate's process was the first of the two."""
    workloads: tuple[WorkloadTiming, ...]
    strangers: Annotated[int, Field(ge=0)] | None = None
    """Processes not of ours that used the device before or after; none: it cannot be told."""


class Duel(Value):
    """Candidate against champion: the recorded numbers behind a decision."""

    champion: str
    """Digest of the champion's solution."""
    candidate: str
    pairs: tuple[ProcessPair, ...]
    failures: tuple[Judgement, ...] = ()
    """Workloads on which the candidate failed while being timed; then nothing is promoted."""

    @property
    def strangers(self) -> int:
        """Processes not of ours on the device in any pair, at most; 0 where it cannot be told."""
        return max((pair.strangers or 0 for pair in self.pairs), default=0)


class Baseline(Value):
    """The time to beat at the start of a campaign."""

    kind: Literal["eager", "compiled", "baseline.py"]
    solution: Solution
    latency_ms: dict[str, Milliseconds]
    """Per workload."""
    contenders: dict[str, str]
    """What each kind reached: geometric mean in ms, or the reason it was not timed."""
    probes: tuple[Probe, ...] = ()
    """How the problem answers to wrong answers on this device."""
    neighbours: Neighbours = Neighbours()
    """The hidden shapes that it allows."""
    bounds: dict[str, Bound] = {}
    """The least time of each workload on this device; none in campaigns from before."""

    @property
    def loose(self) -> tuple[Probe, ...]:
        """The wrong answers that passed. While there is one, nothing is promoted."""
        return tuple(p for p in self.probes if p.required and not p.refused)


class Trace(Value):
    """The record of one workload in SOL-ExecBench's four fields, as `judge --json` prints it."""

    definition: str
    workload: Workload
    solution: str
    """Digest of the solution."""
    evaluation: Evaluation
