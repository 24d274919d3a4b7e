"""Which facts an answer holds, for each kind of record. Pure functions; no board, no clock.

Text that came from a candidate or another agent is quoted and its field is named ``untrusted_…``.
Figures are rounded to four digits: more would be noise and tokens.

Start at `verification` and `benchmark`. Not here: how facts become a result (`answers`), what an
agent should do next (`outcome`), problems (`show_problem`), conclusions (`show_conclusion`).
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from guard import evidence
from guard.bound import fraction
from guard.domain.bound import Bound
from guard.domain.decision import Interval
from guard.domain.problem import Workload
from guard.domain.trace import Evaluation, Verification
from guard.steadiness import throttled
from memory.records import (
    Benchmark,
    Champion,
    Claim,
    Job,
    Revocation,
    Submission,
)
from server.answers import Answer, quoted
from server.auth import LOCAL

MESSAGES_SHOWN = 2_000
LOG_SHOWN = 400
HINTS_SHOWN = 5
KERNELS_SHOWN = 12
EVIDENCE_SHOWN = 2_000


def rounded(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def moment(at_s: float) -> str:
    """A time as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def interval(value: Interval | None, *, derived: bool = False) -> str:
    """A speedup with its 95 % interval, such as ``1.23 (1.2 to 1.26)``.

    `derived`: it is the champion's, times what was measured against the champion.
    """
    if value is None:
        return "not measured"
    mark = ", derived" if derived else ""
    return f"{value.estimate:.4g} ({value.low:.4g} to {value.high:.4g}){mark}"


def axes(workload: Workload) -> str:
    """A workload's sizes, such as ``M=4096 N=1024``."""
    return " ".join(f"{name}={size}" for name, size in workload.axes.items())


def by(agent: str, token: str) -> str:
    """Who it was, and whether a token proves it."""
    return f"{agent} (unverified)" if token == LOCAL else f"{agent} ({token})"


def claim(record: Claim) -> Answer:
    """A claim as its siblings see it: without its id, which is the holder's key."""
    return {
        "strategy": record.strategy,
        "lane": record.lane,
        "held_by": by(record.agent, record.token),
        "expires": moment(record.expires_s),
        "generation": record.generation,
        "why": record.reason,
    }


def evaluation(uuid: str, record: Evaluation, sizes: str) -> Answer:
    """The verdict on one workload."""
    shown: Answer = {"workload": uuid, "axes": sizes, "status": record.status}
    correctness = getattr(record, "correctness", None)
    if correctness is not None and record.status != "PASSED":
        shown["max_absolute_error"] = rounded(correctness.max_absolute_error)
        shown["max_relative_error"] = rounded(correctness.max_relative_error)
        shown["matched_ratio"] = rounded(correctness.matched_ratio)
    performance = getattr(record, "performance", None)
    if performance is not None:
        shown["latency_ms"] = rounded(performance.latency_ms)
        shown["baseline_ms"] = rounded(performance.reference_latency_ms)
        shown["speedup"] = rounded(performance.speedup_factor)
        more = {name: getattr(performance, name) for name in ("warm_latency_ms", "prepare_ms")}
        shown |= {name: rounded(ms) for name, ms in more.items() if ms is not None}
    if record.log and record.status != "PASSED":
        shown["untrusted_log"] = quoted(record.log, LOG_SHOWN)
    return shown


def verification(record: Verification, workloads: Mapping[str, Workload]) -> Answer:
    """Compile report and verdict per workload."""
    shown: Answer = {"verdict": verdict(record), "sealed": record.sealed}
    if record.note:
        shown["note"] = record.note
    if record.compiled.hints:
        shown["untrusted_hints"] = [
            quoted(str(hint), 300) for hint in record.compiled.hints[:HINTS_SHOWN]
        ]
    if record.compiled.messages:
        shown["untrusted_compiler_messages"] = quoted(record.compiled.messages, MESSAGES_SHOWN)
    if told := evidence.lines(record.compiled)[:KERNELS_SHOWN]:
        shown["untrusted_evidence"] = quoted("\n".join(told), EVIDENCE_SHOWN)
    shown["workloads"] = [
        evaluation(j.workload, j.evaluation, _axes_of(workloads, j.workload))
        for j in record.judgements
    ]
    return shown


def verdict(record: Verification) -> str:
    """The whole verification in a few words."""
    if record.passed:
        hidden = len(record.judgements) - len(record.listed)
        more = f" and on {hidden} hidden shapes" if hidden else ""
        return f"correct on all {len(record.listed)} workloads{more}"
    if record.refused:
        return "refused before it was compiled"
    if not record.compiled.ok:
        return "does not compile"
    if not record.judgements:
        return "compiled, not verified"
    wrong = sum(j.evaluation.status != "PASSED" for j in record.judgements)
    kinds = "workloads and hidden shapes" if record.listed != record.judgements else "workloads"
    return f"failed on {wrong} of {len(record.judgements)} {kinds} judged"


def bound(known: Bound | None, latency_ms: float | None = None) -> Answer:
    """The least time of a workload, what binds there, and how much of it a latency reaches."""
    if known is None:
        return {}
    shown: Answer = {"bound_ms": rounded(known.bound_ms), "bound_by": known.resource}
    if latency_ms is not None:
        shown["bound_fraction"] = rounded(fraction(known.bound_ms, latency_ms))
    return shown


def benchmark(
    record: Benchmark, workloads: Mapping[str, Workload], bounds: Mapping[str, Bound]
) -> Answer:
    """Decision, speedups, and time per workload with its distance from the bound."""
    versus = record.champion_submission_id
    return {
        "decision": record.decision.verdict.value,
        "reason": record.decision.reason,
        "speedup_over_baseline": interval(record.speedup, derived=record.derived),
        "speedup_over_champion": interval(record.decision.over_champion),
        "champion_then": f"submission {versus}" if versus else "the baseline",
        "workloads": [
            evaluation(uuid, item, _axes_of(workloads, uuid)) | _reached(item, bounds.get(uuid))
            for uuid, item in record.evaluations.items()
        ],
    } | ({"conditions": slowed} if (slowed := throttled([record.over_champion])) else {})


def _reached(record: Evaluation, known: Bound | None) -> Answer:
    performance = getattr(record, "performance", None)
    return bound(known, performance.latency_ms if performance else None)


def champion(record: Champion) -> Answer:
    """Who holds the first place."""
    if not record.submission_id:
        return {"held_by": "the baseline", "generation": record.generation}
    return {
        "submission_id": record.submission_id,
        "agent": record.agent,
        "language": record.solution.language,
        "speedup_over_baseline": interval(record.speedup, derived=record.derived),
        "generation": record.generation,
    }


def ranked(record: Submission) -> Answer:
    """One line of the leaderboard."""
    return {
        "submission_id": record.id,
        "agent": record.agent,
        "strategy": record.strategy,
        "adherence": record.adherence.word if record.adherence else "not judged",
        "language": record.solution.language,
        "sealed": record.verification is not None and record.verification.sealed,
        "decision": record.decision.verdict.value if record.decision else "",
        "speedup_over_baseline": interval(record.speedup, derived=record.derived),
    }


def revocation(record: Revocation) -> Answer:
    """A submission that counts no more."""
    return {
        "seq": record.seq,
        "submission_id": record.submission_id,
        "agent": record.agent,
        "reason": record.reason,
        "then": "It holds no place and proves nothing: do not build on it. What lost to it may be "
        "handed in again under another claim.",
    }


def job(record: Job, message: str = "") -> Answer:
    """A job's state."""
    shown: Answer = {
        "job_id": record.id,
        "kind": record.kind,
        "submission_id": record.submission_id,
        "state": record.state.value,
    }
    if record.reason:
        shown["reason"] = record.reason
    if message:
        shown["progress"] = message
    return shown


def with_renewal(answer: Answer, renewed: bool) -> Answer:
    """The answer, headed by the news that an expired claim was renewed, if it was."""
    if not renewed:
        return answer
    note = "Your claim's lease had run out; nobody had taken it, so it was renewed."
    return {"claim_renewed": note, **answer}


def workloads_by_uuid(items: Iterable[Workload]) -> dict[str, Workload]:
    """Workloads by their uuid."""
    return {item.uuid: item for item in items}


def _axes_of(workloads: Mapping[str, Any], uuid: str) -> str:
    return axes(workloads[uuid]) if uuid in workloads else ""
