"""What an agent tells the others after a step: pure functions from replies to conclusions.

A win where the server promoted, a trap where a candidate failed or lost clearly, nothing where
there is nothing to learn. The figures are the server's; here stand the words.

    Candidate × reply -> Conclusion | None

Start at `after_verification` and `after_benchmark`. Not here: posting (`agent`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from examples.team.plan import Candidate

NOTE = 160
REFLECTION = 1_200
CLEAR_LOSS = 0.9
"""Slower than this over the champion (a factor) is worth a warning; closer is only a variant."""
_INTERVAL = re.compile(r"([0-9.e+-]+) \(([0-9.e+-]+) to ([0-9.e+-]+)\)")
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Conclusion:
    """The words of a win or a trap."""

    kind: Literal["win", "trap"]
    note: str
    reflection: str


def passed(verified: Facts) -> bool:
    """Whether every workload was judged and passed."""
    workloads = verified.get("workloads") or []
    return bool(workloads) and all(w.get("status") == "PASSED" for w in workloads)


def estimate(speedup: object) -> float | None:
    """The middle figure of a speedup such as ``1.23 (1.2 to 1.26)``."""
    found = _INTERVAL.search(str(speedup))
    return float(found.group(1)) if found else None


def after_verification(candidate: Candidate, verified: Facts) -> Conclusion | None:
    """A trap for a candidate that was judged and failed; None when nothing was judged."""
    messages = str(verified.get("untrusted_compiler_messages", "")).strip()
    failed = [w for w in verified.get("workloads") or [] if w.get("status") != "PASSED"]
    if not failed and verified.get("verdict") != "does not compile":
        return None
    status = str(failed[0]["status"]) if failed else "COMPILE_ERROR"
    told = str(failed[0].get("untrusted_log", "")) if failed else messages
    return _trap(candidate, f"{status} ({candidate.name})", f"{verified.get('verdict')}. {told}")


def after_benchmark(candidate: Candidate, timed: Facts) -> Conclusion | None:
    """A win for a promotion, a trap for what was distrusted or lost clearly, else None."""
    decision = str(timed.get("decision"))
    reason = str(timed.get("reason", ""))
    over_baseline = timed.get("speedup_over_baseline")
    if decision == "promoted":
        note = f"{candidate.name}: {over_baseline} times the baseline. {candidate.note}"
        return Conclusion("win", note[:NOTE], f"Predicted: {candidate.note} {reason}"[:REFLECTION])
    if decision in ("suspect", "rejected"):
        return _trap(candidate, f"{decision} ({candidate.name})", reason)
    over_champion = estimate(timed.get("speedup_over_champion"))
    if decision == "reverted" and over_champion is not None and over_champion < CLEAR_LOSS:
        lost = f"{over_champion:.2f} times the champion's speed ({candidate.name})"
        return _trap(candidate, lost, reason)
    return None


def after_plateau(lane: str, tried: Sequence[tuple[Candidate, str]]) -> Conclusion:
    """A trap for a whole row of variants that brought nothing; with each its speedup."""
    tags = " ".join(f"#{c.tags[0]}" for c, _ in tried if c.tags)
    note = f"{len(tried)} variants in lane {lane} brought no progress: {tags}"
    listed = " ".join(f"{c.name}: {speedup} over the baseline." for c, speedup in tried)
    return Conclusion("trap", note[:NOTE], f"Look elsewhere. {listed}"[:REFLECTION])


def _trap(candidate: Candidate, what: str, why: str) -> Conclusion:
    tag = f"#{candidate.tags[0]}" if candidate.tags else candidate.name
    return Conclusion(
        "trap", f"{tag}: {what}"[:NOTE], f"Predicted: {candidate.note} Found: {why}"[:REFLECTION]
    )
