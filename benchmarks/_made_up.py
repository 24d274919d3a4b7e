"""What a candidate's rows hold, made up: as long as real ones, and readable as such.

    workloads -> Bodies: JSON text for verifications, evaluations, decisions, duels

Only readers are measured with these, never a gate. Start at `bodies`. Not here: the rows
(`_filling`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from guard.domain.adherence import Adherence
from guard.domain.decision import Decision, Interval, Terms, Verdict
from guard.domain.machine_code import Instructions
from guard.domain.trace import (
    CompileReport,
    Correctness,
    Duel,
    Environment,
    Failed,
    Passed,
    Performance,
    ProcessPair,
    Timed,
    WorkloadTiming,
)
from memory.conclusion import Measured
from memory.records import HealthDuel
from memory.text import to_text

SOURCE = (
    '#include <cmath>\n#include <cstdint>\n\n// candidate {number}\nextern "C" void run(\n'
    "    const float* x, float* y, int64_t M, int64_t N) {\n" + "  // one more row\n" * 60 + "}\n"
)
STAMP = "2026-01-01T00:00:00Z"
DIGEST = "0" * 64
PAIRS = {Verdict.PROMOTED: 5, Verdict.ACCEPTED: 4, Verdict.REVERTED: 1}
"""Process pairs of a duel that ended so."""
_ENVIRONMENT = Environment(
    hardware="a CPU", libs={"python": "3.11", "torch": "2.13", "g++": "12.2"}, sandbox_grade=3
)
_CORRECTNESS = Correctness(max_relative_error=1e-7, max_absolute_error=1e-8)
_TERMS = Terms(number=1, alpha=1e-4, sigma=0.02, aa_pairs=6, aa_through=1)


@dataclass(frozen=True)
class Bodies:
    """JSON text of every nested value, by what it tells."""

    compiled: str
    not_compiled: str
    adherence: str
    passed: str
    crashed: str
    timed: str
    terms: str
    duels: dict[Verdict, str]
    decisions: dict[Verdict, str]
    health: str
    measured: str


def bodies(workloads: Sequence[str]) -> Bodies:
    """For candidates on these workloads."""
    duels = {verdict: _duel(workloads, pairs) for verdict, pairs in PAIRS.items()}
    instructions = Instructions(kernel="run", total=900, classes={"fma": 120, "load": 80})
    return Bodies(
        compiled=to_text(CompileReport(ok=True, duration_s=0.4, instructions=(instructions,))),
        not_compiled=to_text(CompileReport(ok=False, messages="error: expected ';'\n" * 20)),
        adherence=to_text(Adherence(holds=True, evidence="wide loads in every kernel")),
        passed=to_text(_passed()),
        crashed=to_text(_crashed()),
        timed=to_text(_timed()),
        terms=to_text(_TERMS),
        duels={verdict: to_text(duel) for verdict, duel in duels.items()},
        decisions={verdict: to_text(_decision(verdict)) for verdict in PAIRS},
        health=to_text(_health(duels[Verdict.ACCEPTED])),
        measured=to_text(_measured(workloads)),
    )


def _passed() -> Passed:
    return Passed(environment=_ENVIRONMENT, timestamp=STAMP, correctness=_CORRECTNESS)


def _crashed() -> Failed:
    return Failed(
        environment=_ENVIRONMENT,
        timestamp=STAMP,
        status="RUNTIME_ERROR",
        log="The process ended with SIGSEGV. " * 8,
    )


def _timed() -> Timed:
    times = Performance(latency_ms=0.5, reference_latency_ms=1.0, speedup_factor=2.0)
    return Timed(
        environment=_ENVIRONMENT, timestamp=STAMP, correctness=_CORRECTNESS, performance=times
    )


def _duel(workloads: Sequence[str], pairs: int) -> Duel:
    turns = (1.01, 1.02, 1.03, 1.04)
    timings = tuple(
        WorkloadTiming(
            workload=workload,
            champion_ms=turns,
            candidate_ms=turns,
            champion_audit_ms=turns,
            candidate_audit_ms=turns,
            calls=64,
            mode="host",
        )
        for workload in workloads
    )
    pair = ProcessPair(swapped=False, workloads=timings, strangers=0)
    return Duel(champion=DIGEST, candidate=DIGEST, pairs=(pair,) * pairs)


def _decision(verdict: Verdict) -> Decision:
    reason = "The mean over its process pairs is told beside the interval that it lies in. "
    over = Interval(estimate=1.0, low=0.99, high=1.01)
    return Decision(verdict=verdict, reason=reason * 2, over_champion=over)


def _health(duel: Duel) -> HealthDuel:
    return HealthDuel(
        campaign_id=1,
        kind="aa",
        champion_submission_id=0,
        against_submission_id=0,
        duel=duel,
        terms=_TERMS,
        ratio=Interval(estimate=1.0, low=0.99, high=1.01),
        expected=1.0,
        promoted=False,
        wrong=False,
        fought_s=0.0,
    )


def _measured(workloads: Sequence[str]) -> Measured:
    return Measured(
        submission_id=1,
        device="cpu",
        hardware="a CPU",
        language="cpp",
        sealed=False,
        speedups=dict.fromkeys(workloads, 1.5),
        features=("wide loads", "fused multiply-add"),
    )
