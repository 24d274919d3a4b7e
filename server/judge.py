"""Judge one solution against a problem's baseline, without a server or a board.

    problem folder + solution file -> baseline -> verification -> sigma -> duel -> decision

The same referee, orders and gate as in a campaign; the champion is the baseline, which fights
itself first, so that it is known how noisy this machine is.

Start at `judge_files`. Not here: the steps inside the referee (`guard`).
"""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coordinator.contest import Bout, Fought, compete, fight_itself
from coordinator.orders import Meter, Orders
from guard import benchmark, evidence, gate, promotion
from guard.domain.decision import Decision, Interval, Policy, Verdict
from guard.domain.errors import (
    BadValue,
    LanguageUnavailable,
    MalformedProblem,
    MalformedSolution,
    UnknownLanguage,
)
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.domain.trace import Baseline, Duel, Trace, Verification
from guard.ports import DeviceIdentity, Format
from guard.wire import (
    BaselineOrder,
    BaselineReport,
    VerifyOrder,
    VerifyReport,
)
from server.bootstrap import EXECUTOR, Plugins, find_devices, load_plugins
from server.judge_text import written
from server.settings import Settings

CORRECT, REFUSED, NOT_PROMOTED = 0, 1, 3
JOB = "judge"


@dataclass(frozen=True)
class Judged:
    """Everything that was found out."""

    problem: Problem
    solution: Solution
    device: DeviceIdentity
    baseline: Baseline
    verification: Verification
    fought: Fought
    decision: Decision
    policy: Policy

    @property
    def speedup(self) -> Interval | None:
        """Over the baseline; none when nothing was timed."""
        if self.fought.confirmed is not None:
            return gate.speedup(self.fought.confirmed, self.policy, self.fought.terms)
        return self.decision.over_champion

    def as_json(self) -> dict[str, Any]:
        """One object: the decision, the speedup, and a SOL-ExecBench trace per workload."""
        timed = self.fought.over_baseline(self.baseline.solution)
        found = benchmark.evaluations(self.verification, timed, self.policy)
        workloads = {w.uuid: w for w in self.problem.workloads_for(self.device.kind)}
        return {
            "decision": self.decision.verdict.value,
            "reason": self.decision.reason,
            "speedup": self.speedup.model_dump() if self.speedup else None,
            "device": self.device.name,
            "hardware": self.device.hardware,
            "baseline": {
                "kind": self.baseline.kind,
                "latency_ms": self.baseline.latency_ms,
                "contenders": self.baseline.contenders,
                "admitted": not self.baseline.loose,
            },
            "compiled": self.verification.compiled.model_dump(mode="json", exclude={"listings"}),
            "evidence": list(evidence.digest(self.verification.compiled)),
            "note": self.verification.note,
            "sealed": self.verification.sealed,
            "evaluations": [
                Trace(
                    definition=self.problem.definition.name,
                    workload=workloads[uuid],
                    solution=self.solution.digest,
                    evaluation=evaluation,
                ).model_dump(mode="json")
                for uuid, evaluation in found.items()
            ],
            "hidden": [
                judgement.model_dump(mode="json")
                for judgement in self.verification.judgements
                if judgement.hidden
            ],
        }


def judge_files(
    settings: Settings,
    problem_dir: Path,
    path: Path,
    *,
    language: str | None,
    as_json: bool,
    promoted: bool,
    installed: Plugins | None = None,
) -> int:
    """Judge, print, and give the exit status.

    Raises:
        CallerError: a file, the language or the device cannot be used.
    """
    plugins = installed or load_plugins()
    problem, known = read_problem(problem_dir, plugins)
    device = suiting(problem, find_devices(plugins, settings.device))
    solution = _read_solution(path, problem, known, plugins, language)
    judged = asyncio.run(_judge(problem, solution, device, plugins, settings))
    told = judged.as_json()
    print(json.dumps(told, indent=2) if as_json else written(told))
    if not judged.decision.verdict.believed:
        return REFUSED
    if promoted and judged.decision.verdict is not Verdict.PROMOTED:
        return NOT_PROMOTED
    return CORRECT


def read_problem(folder: Path, plugins: Plugins) -> tuple[Problem, Format]:
    """The problem in this folder, and the format it is written in.

    Raises:
        MalformedProblem: no known format, or broken.
    """
    for known in plugins.formats.values():
        if known.recognises(folder):
            return known.read(folder), known
    reason = "no known problem format" if folder.is_dir() else "is not a folder"
    raise MalformedProblem(str(folder), "problem", reason)


def suiting(problem: Problem, devices: tuple[DeviceIdentity, ...]) -> DeviceIdentity:
    """The first device that the problem has workloads for; GPUs come first.

    Raises:
        BadValue: none has.
    """
    ordered = sorted(devices, key=lambda device: device.kind == "cpu")
    for device in ordered:
        if problem.workloads_for(device.kind):
            return device
    names = ", ".join(device.name for device in devices) or "none"
    raise BadValue("--device", f"{problem.name!r} has no workloads for what is here ({names}).")


def _read_solution(
    path: Path, problem: Problem, known: Format, plugins: Plugins, language: str | None
) -> Solution:
    if not path.is_file():
        raise MalformedSolution("file", f"{str(path)!r} does not exist")
    solution = known.solution(path, problem, language=language or "")
    if solution.language not in plugins.languages:
        raise UnknownLanguage(solution.language, plugins.languages)
    spoken = plugins.languages[solution.language]
    if (reason := spoken.unavailable()) is not None:
        raise LanguageUnavailable(solution.language, reason)
    spoken.check(solution)
    return solution


async def _judge(
    problem: Problem,
    solution: Solution,
    device: DeviceIdentity,
    plugins: Plugins,
    settings: Settings,
) -> Judged:
    policy = Policy()
    referee = plugins.executors[EXECUTOR].open(device, settings.for_referees)
    orders = Orders(referee)
    try:
        order = BaselineOrder(job=JOB, problem=problem, policy=policy)
        baseline = (await orders.place(order, BaselineReport)).baseline
        verify = VerifyOrder(job=JOB, problem=problem, solution=solution, policy=policy)
        verification = (await orders.place(verify, VerifyReport)).verification
        duel = Duel(champion=baseline.solution.digest, candidate=solution.digest, pairs=())
        fought = Fought(terms=promotion.terms(1, (), policy), duel=duel)
        untimed = plugins.languages[solution.language].timed_on(device.kind)
        if untimed and not verification.note:
            verification = verification.model_copy(update={"note": untimed})
        if verification.passed and not untimed:
            bout = Bout(
                job=JOB,
                problem=problem,
                policy=policy,
                candidate=solution,
                champion=baseline.solution,
            )
            fought = await _compete(orders, bout, verification, baseline)
    finally:
        await referee.close()
    decision = gate.decide(
        verification, fought.duel, policy, fought.terms, baseline.loose, baseline.bounds
    )
    return Judged(problem, solution, device, baseline, verification, fought, decision, policy)


async def _compete(
    orders: Orders, bout: Bout, verification: Verification, baseline: Baseline
) -> Fought:
    """The baseline against itself, for sigma; then the duel as in a campaign."""
    policy, meter = bout.policy, Meter(None, 1)
    itself = bout.model_copy(update={"candidate": baseline.solution})
    same = await fight_itself(orders, itself, meter)
    terms = promotion.terms(1, benchmark.noise_values(same, policy), policy)
    return await compete(orders, bout, verification, baseline, terms, meter)
