"""Check whether a problem tells right answers from wrong ones, without a server or a board.

    problem folder -> baseline, wrong answers offered -> admitted or not

Start at `check`. Not here: the wrong answers themselves (`guard.referee.impostors`).
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coordinator.orders import Orders
from guard.domain.decision import Policy
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
    told = facts(problem, device, asyncio.run(_measured(problem, device, plugins)))
    print(json.dumps(told, indent=2) if as_json else "\n".join(written(told)))
    return ADMITTED if told["admitted"] else NOT_ADMITTED


def facts(problem: Problem, device: DeviceIdentity, baseline: Baseline) -> dict[str, Any]:
    """One object: whether it is admitted, and per workload what each wrong answer met."""
    workloads: dict[str, dict[str, str]] = {}
    for probe in baseline.probes:
        workloads.setdefault(probe.workload, {})[probe.impostor] = probe.refused
    return {
        "problem": problem.name,
        "device": device.name,
        "hardware": device.hardware,
        "admitted": not baseline.loose,
        "baseline": {"kind": baseline.kind, "latency_ms": baseline.latency_ms},
        "workloads": workloads,
    }


def written(told: dict[str, Any]) -> Iterator[str]:
    """The answer first, then each workload; the evidence is in the JSON alone."""
    answer = "admitted" if told["admitted"] else "not admitted: it runs, but nothing is promoted"
    yield f"{told['problem']} on {told['device']} ({told['hardware']}): {answer}"
    for workload, impostors in told["workloads"].items():
        passed = [name for name, refused in impostors.items() if not refused]
        if passed:
            yield f"  {workload}: cannot tell from a right answer: {', '.join(passed)}"
        else:
            yield f"  {workload}: refuses {', '.join(impostors)}"
    if not told["admitted"]:
        yield "Narrow these workloads' tolerances, or give inputs on which the answers differ."


async def _measured(problem: Problem, device: DeviceIdentity, plugins: Plugins) -> Baseline:
    referee = plugins.executors[EXECUTOR].open(device)
    try:
        order = BaselineOrder(job="check", problem=problem, policy=Policy())
        return (await Orders(referee).place(order, BaselineReport)).baseline
    finally:
        await referee.close()
