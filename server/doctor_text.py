"""A host's facts as text.

Start at `written`. Not here: finding them out (`doctor`).
"""

from collections.abc import Iterator
from typing import Any

from guard.domain.decision import Policy


def written(told: dict[str, Any]) -> str:
    """One section per subject."""
    lines = ["versions: " + ", ".join(f"{k} {v}" for k, v in told["versions"].items())]
    for device in told["devices"]:
        lines += _device(device)
    for name, state in told["device_kinds"].items():
        if state != "available":
            lines.append(f"device kind {name}: {state}")
    for name, language in told["languages"].items():
        lines.append(f"language {name}: {_language(language)}")
    lines += [f"compiler {name}: {found}" for name, found in told["compilers"].items()]
    for name in ("include", "python"):
        if told[name]:
            lines.append(f"{name} folders for candidates: {', '.join(told[name])}")
    lines.append("database: " + ", ".join(map(str, told["database"].values())))
    processes = told["gpu_processes"]
    lines.append("processes on the GPU: " + ("; ".join(processes) or "none"))
    return "\n".join(lines)


def _device(device: dict[str, Any]) -> Iterator[str]:
    yield f"device {device['name']}: {device['hardware']} ({device['architecture']})"
    if "trouble" in device:
        yield f"  no referee: {device['trouble']}"
        return
    if device["canary"]:
        yield f"  not healthy: {device['canary']}. A server quarantines it: nothing is judged there"
        return
    yield "  canary: computes what it must, in the referee's process and in a fresh runner"
    yield f"  sandbox grade {device['sandbox_grade']} (promotion needs {Policy().min_grade})"
    for layer in device["layers"]:
        state = "works" if layer["works"] else "does not work"
        yield f"  {layer['name']}: {state}. {layer['detail']}".rstrip()


def _language(language: dict[str, Any]) -> str:
    if not language["available"]:
        return f"not available: {language['reason']}"
    limits = [
        f"{verb} {device}: {reason}"
        for verb, key in (("not run on", "runs_on"), ("not timed on", "timed_on"))
        for device, reason in language[key].items()
        if reason != "yes"
    ]
    return "; ".join(["available", *limits])
