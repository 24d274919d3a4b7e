"""A judgement's facts as text.

Start at `written`. Not here: the facts (`judge`).
"""

from typing import Any

from guard.plain import one_line
from server.answers import quoted

LOG_SHOWN = 300


def written(told: dict[str, Any]) -> str:
    """The decision first, then the evidence."""
    lines = [f"{told['decision']}: {told['reason']}"]
    speedup = told["speedup"]
    if speedup is not None:
        lines.append(
            f"speedup over the baseline ({told['baseline']['kind']}): {speedup['estimate']:.4g} "
            f"(95 % interval {speedup['low']:.4g} to {speedup['high']:.4g})"
        )
    lines.append(f"on {told['device']} ({told['hardware']})")
    if told["sealed"]:
        lines.append("sealed: no host code of the candidate ran")
    if told["note"]:
        lines.append(told["note"])
    if told["compiled"]["messages"]:
        lines.append("compiler messages (untrusted):")
        lines += [f"  | {line}" for line in quoted(told["compiled"]["messages"]).split("\n")]
    lines += [
        f"hint: {one_line('{rule}, {evidence} ({path}:{line})'.format(**hint))}"
        for hint in told["compiled"]["hints"]
    ]
    lines += [_workload(trace) for trace in told["evaluations"]]
    lines += [_hidden(judgement) for judgement in told["hidden"]]
    return "\n".join(lines)


def _workload(trace: dict[str, Any]) -> str:
    workload, evaluation = trace["workload"], trace["evaluation"]
    axes = " ".join(f"{name}={size}" for name, size in workload["axes"].items())
    performance = evaluation.get("performance")
    timing = ""
    if performance is not None:
        timing = (
            f"  {performance['latency_ms']:.4g} ms, baseline "
            f"{performance['reference_latency_ms']:.4g} ms, "
            f"{performance['speedup_factor']:.4g} times"
        )
        if performance.get("warm_latency_ms") is not None:
            timing += f", {performance['warm_latency_ms']:.4g} ms warm"
        if performance.get("prepare_ms") is not None:
            timing += f", prepared in {performance['prepare_ms']:.4g} ms"
    log = one_line(quoted(evaluation["log"], LOG_SHOWN)) if evaluation["status"] != "PASSED" else ""
    return f"  {evaluation['status']}  {axes}{timing}  {log}".rstrip()


def _hidden(judgement: dict[str, Any]) -> str:
    evaluation = judgement["evaluation"]
    return f"  {evaluation['status']}  {judgement['workload']}  {evaluation['log']}".rstrip()
