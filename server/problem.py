"""Check whether a problem tells right answers from wrong ones, without a server or a board.

    problem folder -> baseline, wrong answers offered -> admitted or not

Start at `check`. Not here: the wrong answers themselves (`guard.referee.impostors`).
"""

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from coordinator.orders import Orders
from guard.bound import fraction
from guard.domain.decision import Policy
from guard.domain.probe import Probe
from guard.domain.problem import Problem
from guard.domain.trace import Baseline
from guard.ports import DeviceIdentity
from guard.wire import BaselineOrder, BaselineReport
from server.bootstrap import EXECUTOR, Plugins, find_devices, load_plugins
from server.judge import read_problem, suiting
from server.settings import Settings

ADMITTED, NOT_ADMITTED = 0, 1


def check(
    settings: Settings, folder: Path, *, as_json: bool, installed: Plugins | None = None
) -> int:
    """Offer wrong answers on every workload, print what became of them, give the exit status.

    Raises:
        CallerError: the folder or the device cannot be used, or no baseline passes its own check.
    """
    plugins = installed or load_plugins()
    problem, _ = read_problem(folder, plugins)
    device = suiting(problem, find_devices(plugins, settings.device))
    baseline = asyncio.run(_measured(problem, device, plugins, settings))
    told = facts(problem, device, baseline)
    print(json.dumps(told, indent=2) if as_json else "\n".join(written(told)))
    return ADMITTED if told["admitted"] else NOT_ADMITTED


def facts(problem: Problem, device: DeviceIdentity, baseline: Baseline) -> dict[str, Any]:
    """One object: whether it is admitted, and per workload what each wrong answer met."""
    near = baseline.neighbours
    return {
        "problem": problem.name,
        "device": device.name,
        "hardware": device.hardware,
        "admitted": not baseline.loose,
        "baseline": {"kind": baseline.kind, "latency_ms": baseline.latency_ms},
        "bounds": {uuid: _bounded(baseline, uuid) for uuid in baseline.bounds},
        "workloads": _by_shape(baseline.probes),
        "harmless": sorted({p.impostor for p in baseline.probes if not (p.required or p.refused)}),
        "neighbours": {
            "open_axes": list(near.open_axes),
            "drawn": list(near.drawn),
            "redrawn": list(near.redrawn),
            "shapes": _by_shape(near.probes),
        },
    }


def _bounded(baseline: Baseline, uuid: str) -> dict[str, Any]:
    """The bound of a workload, and how much of it the baseline reaches."""
    known = baseline.bounds[uuid]
    reached = fraction(known.bound_ms, baseline.latency_ms[uuid])
    return {**known.model_dump(mode="json"), "baseline_fraction": reached}


def _by_shape(probes: Iterable[Probe]) -> dict[str, dict[str, str]]:
    """Per workload or hidden shape, what each wrong answer was refused on."""
    found: dict[str, dict[str, str]] = {}
    for probe in probes:
        found.setdefault(probe.workload, {})[probe.impostor] = probe.refused
    return found


def written(told: dict[str, Any]) -> Iterator[str]:
    """The answer first, then each workload; the evidence is in the JSON alone."""
    answer = "admitted" if told["admitted"] else "not admitted: it runs, but nothing is promoted"
    yield f"{told['problem']} on {told['device']} ({told['hardware']}): {answer}"
    for workload, impostors in told["workloads"].items():
        yield f"  {workload}: {_answered(impostors, told['harmless'])}"
    for workload, known in told["bounds"].items():
        yield (
            f"  {workload}: bound {known['bound_ms']:.4g} ms by {known['resource']}, of which the "
            f"baseline reaches {known['baseline_fraction']:.0%}"
        )
    yield from _neighbours(told["neighbours"])
    if not told["admitted"]:
        yield "Narrow these workloads' tolerances, or give inputs on which the answers differ."


def _answered(impostors: Mapping[str, str], harmless: Collection[str]) -> str:
    passed = [name for name, refused in impostors.items() if not refused]
    wrong = [name for name in passed if name not in harmless]
    if wrong:
        return f"cannot tell from a right answer: {', '.join(wrong)}"
    refused = f"refuses {', '.join(name for name in impostors if name not in passed)}"
    return f"{refused}; within tolerance: {', '.join(passed)}" if passed else refused


def _neighbours(near: Mapping[str, Any]) -> Iterator[str]:
    """Which axes are open, which shapes could be drawn, and whether wrong answers show there."""
    if not near["open_axes"]:
        yield "No axis is open: candidates meet the listed shapes alone."
        return
    yield f"Open axes: {', '.join(near['open_axes'])}. Hidden shapes drawn: {len(near['drawn'])}."
    for shape, impostors in zip(near["drawn"], near["shapes"].values(), strict=True):
        yield f"  {shape}: {_answered(impostors, ())}"
    if near["redrawn"]:
        yield f"Given up: {len(near['redrawn'])}, such as {near['redrawn'][0]}."


async def _measured(
    problem: Problem, device: DeviceIdentity, plugins: Plugins, settings: Settings
) -> Baseline:
    referee = plugins.executors[EXECUTOR].open(device, settings.for_referees)
    try:
        order = BaselineOrder(job="check", problem=problem, policy=Policy())
        return (await Orders(referee).place(order, BaselineReport)).baseline
    finally:
        await referee.close()
