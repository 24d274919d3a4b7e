"""Small verifications and duels for tests of the pure functions: values only, no measuring."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from guard.domain.decision import Policy
from guard.domain.trace import (
    CompileReport,
    Correctness,
    Duel,
    Environment,
    Evaluation,
    Failed,
    IncorrectNumerical,
    Judgement,
    Passed,
    ProcessPair,
    Verification,
    WorkloadTiming,
)
from guard.promotion import terms

QUIET = terms(1, [0.0] * Policy().aa_pairs, Policy())
"""The first duel of a campaign on a machine as quiet as is ever believed."""
ENVIRONMENT = Environment(hardware="test", libs={}, sandbox_grade=Policy().min_grade)
NOW = "2026-12-01T00:00:00Z"
FOLD_MS = 0.02
CORRECT = Correctness(max_relative_error=0.0, max_absolute_error=0.0)


def passed(log: str = "", *, grade: int = Policy().min_grade) -> Passed:
    """A correct, untimed evaluation, made at this sandbox grade."""
    environment = ENVIRONMENT.model_copy(update={"sandbox_grade": grade})
    return Passed(environment=environment, timestamp=NOW, correctness=CORRECT, log=log)


def wrong() -> IncorrectNumerical:
    """An evaluation of wrong numbers."""
    return IncorrectNumerical(environment=ENVIRONMENT, timestamp=NOW, correctness=CORRECT)


def failed(status: Literal["TIMEOUT", "RUNTIME_ERROR", "REWARD_HACK"] = "TIMEOUT") -> Failed:
    """An evaluation without numbers."""
    return Failed(environment=ENVIRONMENT, timestamp=NOW, status=status)


def verification(*workloads: str, note: str = "", **other: Evaluation) -> Verification:
    """All `workloads` passed; `other` gives further ones by name."""
    answers: dict[str, Evaluation] = dict.fromkeys(workloads, passed()) | other
    return Verification(
        compiled=CompileReport(ok=True),
        judgements=tuple(Judgement(workload=w, evaluation=e) for w, e in answers.items()),
        note=note,
    )


def timing(
    workload: str,
    gains: Sequence[float],
    champion_ms: float = 1.0,
    mode: Literal["graph", "host"] = "graph",
    audit: Sequence[float] | None = None,
) -> WorkloadTiming:
    """One timing whose turns have these log-ratios, and the same (or `audit`) in its audits."""
    audited = gains if audit is None else audit
    return WorkloadTiming(
        workload=workload,
        champion_ms=(champion_ms,) * len(gains),
        candidate_ms=tuple(champion_ms * math.exp(-gain) for gain in gains),
        champion_audit_ms=(champion_ms + FOLD_MS,) * len(audited),
        candidate_audit_ms=tuple(champion_ms * math.exp(-gain) + FOLD_MS for gain in audited),
        calls=8,
        mode=mode,
    )


def pair(number: int, *timings: WorkloadTiming) -> ProcessPair:
    """The `number`-th process pair."""
    return ProcessPair(swapped=number % 2 == 1, workloads=timings)


def duel(*pairs: Mapping[str, float], failures: Sequence[Judgement] = (), turns: int = 4) -> Duel:
    """A duel from each pair's log-ratio per workload, the same in all its turns."""
    return Duel(
        champion="champion",
        candidate="candidate",
        pairs=tuple(
            pair(number, *(timing(w, [gain] * turns) for w, gain in gains.items()))
            for number, gains in enumerate(pairs)
        ),
        failures=tuple(failures),
    )
