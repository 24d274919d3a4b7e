"""The time to beat: the fastest of eager, compiled, and the problem's own ``baseline.py``.

Each contender is timed like any candidate, in a runner of its own. Start at `baseline`.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import median

from guard.domain.decision import Policy
from guard.domain.errors import DeviceUnhealthy, MalformedProblem
from guard.domain.probe import Neighbours, Probe
from guard.domain.problem import Problem
from guard.domain.solution import Solution, Source
from guard.domain.trace import Baseline
from guard.referee.blocks import latencies_ms
from guard.referee.ceilings import bounds
from guard.referee.court import Court
from guard.referee.duel import sides
from guard.referee.impostors import probe
from guard.referee.neighbours import drawn, open_axes
from guard.referee.reference import ReferenceFailed, load_reference
from guard.referee.sides import SideFailed
from guard.referee.timing import time_workload

# torch.compile takes its time at the first call; no candidate gets this much.
COMPILE_CALL_LIMIT_S = 240.0
PROCESSES = 3
"""Fresh processes of each contender that may be the fastest."""
CLOSE = 0.10
"""Within so much of the best one a contender may be the fastest (a fraction)."""
Latencies = dict[str, float]
"""Milliseconds of one call, by workload."""
COMPILED = """

import torch as _torch

run = _torch.compile(run, dynamic=False)
"""
# Where calls cannot be recorded, a returned tensor is fresh memory at every call, and faulting its
# pages in would be timed. There the reference is made to write to the outputs it is given.
PASSING = """

_returning = run


def run({inputs}, {outputs}):
    result = _returning({inputs})
    if isinstance(result, dict):
        result = [result[name] for name in {names!r}]
    values = result if isinstance(result, (tuple, list)) else [result]
    for target, value in zip([{outputs}], values):
        target.copy_(value)
"""


def contenders(problem: Problem, *, passing: bool) -> dict[str, Solution]:
    """The solutions that may become the baseline, by kind.

    `passing`: eager and compiled write to outputs they are given instead of returning them.
    """
    definition = problem.definition
    names = list(definition.outputs)
    source = definition.reference
    if passing:
        given, written = ", ".join(definition.inputs), ", ".join(names)
        source += PASSING.format(inputs=given, outputs=written, names=names)

    def python(path: str, content: str, *, passes: bool) -> Solution:
        return Solution(
            definition=definition.name,
            language="pytorch",
            sources=(Source(path=path, content=content),),
            destination_passing_style=passes,
        )

    found = {
        "eager": python("eager.py", source, passes=passing),
        "compiled": python("compiled.py", source + COMPILED, passes=passing),
    }
    if problem.baseline_source:
        found["baseline.py"] = python("baseline.py", problem.baseline_source, passes=True)
    return found


def baseline(court: Court, problem: Problem, policy: Policy) -> Baseline:
    """Time every contender on every workload and take the fastest by geometric mean.

    Those within `CLOSE` of the best are timed in `PROCESSES` fresh processes, and the medians over
    processes are compared: of two that are nearly as fast, luck would choose otherwise.
    Also offers wrong answers on every workload, to know whether a verdict on it means anything.

    Raises:
        MalformedProblem: none of them passes its own check.
    """
    patient = policy.model_copy(update={"first_call_limit_s": COMPILE_CALL_LIMIT_S})
    known = contenders(problem, passing=not court.device.records)
    told: dict[str, str] = {}
    timed: dict[str, list[Latencies]] = {}
    for done, kind in enumerate(known):
        court.step(done, len(known), f"timing the {kind} baseline")
        _time(court, problem, known, kind, patient, timed, told)
    if not timed:
        raise MalformedProblem(problem.name, "reference", f"no baseline could be timed: {told}")
    # One process says little about two that are this close: the others are fresh ones, in turn.
    close = rivals(timed)
    for number in range(1, PROCESSES if len(close) > 1 else 1):
        for kind in close:
            court.step(number, PROCESSES, f"timing the {kind} baseline again")
            _time(court, problem, known, kind, patient, timed, told)
    kind = fastest(timed)
    told |= {kind: shown(latencies) for kind, latencies in timed.items()}
    return Baseline.model_validate(
        {
            "kind": kind,
            "solution": known[kind],
            "latency_ms": middle(timed[kind]),
            "contenders": told,
            "probes": _probes(court, problem),
            "neighbours": _neighbours(court, problem),
            "bounds": bounds(court, problem),
        }
    )


def _time(
    court: Court,
    problem: Problem,
    known: Mapping[str, Solution],
    kind: str,
    policy: Policy,
    timed: dict[str, list[Latencies]],
    told: dict[str, str],
) -> None:
    """Time a contender in one fresh process; one that fails in any is none."""
    if kind in told:
        return
    try:
        found = _latencies(court, problem, known[kind], policy)
    except (SideFailed, DeviceUnhealthy, ReferenceFailed) as failure:
        court.check_cancelled()
        told[kind] = f"not timed: {failure}"[:500]
        # While another one is left; the last one stands on what it did before.
        if len(timed) > 1:
            timed.pop(kind, None)
    else:
        timed.setdefault(kind, []).append(found)


def rivals(timed: Mapping[str, Sequence[Latencies]]) -> list[str]:
    """The contenders that may be the fastest: within `CLOSE` of the best."""
    best = min(_log_mean(middle(latencies)) for latencies in timed.values())
    limit = best + math.log1p(CLOSE)
    return [kind for kind, latencies in timed.items() if _log_mean(middle(latencies)) <= limit]


def fastest(timed: Mapping[str, Sequence[Latencies]]) -> str:
    """The contender with the least geometric mean over workloads of its medians over processes."""
    return min(timed, key=lambda kind: _log_mean(middle(timed[kind])))


def middle(latencies: Sequence[Latencies]) -> Latencies:
    """Per workload, the median over processes."""
    return {uuid: median(found[uuid] for found in latencies) for uuid in latencies[0]}


def shown(latencies: Sequence[Latencies]) -> str:
    """What was measured of one contender, in words."""
    each = sorted(math.exp(_log_mean(found)) for found in latencies)
    told = f"{math.exp(_log_mean(middle(latencies))):.6f} ms"
    if len(each) == 1:
        return f"{told} in one process"
    return f"{told}, median of {len(each)} processes from {each[0]:.6f} to {each[-1]:.6f} ms"


def _probes(court: Court, problem: Problem) -> list[Probe]:
    """How every workload answers to wrong answers."""
    reference = load_reference(problem.definition)
    workloads = problem.workloads_for(court.identity.kind)
    found = []
    for done, workload in enumerate(workloads):
        court.step(done, len(workloads), f"offering wrong answers on workload {done + 1}")
        found += probe(court, problem, workload, reference)
    return found


def _neighbours(court: Court, problem: Problem) -> Neighbours:
    """Which hidden shapes a verification may draw, and how some answer to wrong answers."""
    reference = load_reference(problem.definition)
    workloads = problem.workloads_for(court.identity.kind)
    free = {axis for workload in workloads for axis in open_axes(problem.definition, workload)}
    court.step(0, 1, "drawing hidden shapes")
    found = drawn(court, problem, reference)
    probes = [p for n in found.neighbours for p in probe(court, problem, n.workload, reference)]
    return Neighbours(
        open_axes=tuple(axis for axis in problem.definition.var_axes if axis in free),
        drawn=tuple(neighbour.shape for neighbour in found.neighbours),
        redrawn=tuple(found.given_up),
        probes=tuple(probes),
    )


def _latencies(court: Court, problem: Problem, solution: Solution, policy: Policy) -> Latencies:
    """Median latency per workload, in ms."""
    reference = load_reference(problem.definition)
    latencies = {}
    with sides(court, (solution,), problem, policy) as alone:
        for workload in problem.workloads_for(court.identity.kind):
            times = time_workload(court, alone, problem, workload, reference, policy)
            (blocks,) = times.plain
            latency_ms = median(latencies_ms(blocks, blocks))
            if latency_ms <= 0:
                raise DeviceUnhealthy(court.identity.name, "a latency that is not positive")
            latencies[workload.uuid] = latency_ms
        court.keep_warm(solution, alone[0].runner, policy)
    return latencies


def _log_mean(latencies: Latencies) -> float:
    return sum(map(math.log, latencies.values())) / len(latencies)
