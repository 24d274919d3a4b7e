"""How long an agent waits for an answer: from submitting over MCP to the message or the decision.

    python -m benchmarks.turnaround [--device nvidia --language triton] [--workloads 14] [--json]

A real server process on a problem with so many workloads. *Cold* is the first submission after a
restart; *warm* ones follow each other after a warm-up, alone; the *stream* is 30 % compile errors,
40 % wrong and 30 % correct and timed, from several agents at once. Every source is new down to its
machine code. Start at `measure`. Not here: the candidates (`_stream`), a client (`_agent`).
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._agent import Agent, Asked
from benchmarks._figures import Spread, cells, spread
from benchmarks._jobs import Shares, shares
from benchmarks._machine import Machine, machine
from benchmarks._options import (
    USUAL,
    DeviceOption,
    JsonOption,
    Kind,
    LanguageOption,
    first_device,
    usual_kind,
)
from benchmarks._problems import row_counts, write_problem
from benchmarks._servers import DATABASE, OwnServer
from benchmarks._stream import NONCES, Outcome, Template, outcomes, submission, templates
from examples.stage import Server
from guard.domain.value import Value

ROWS = {Kind.CPU: (8, 256), Kind.NVIDIA: (16, 8192)}
"""The smallest and the largest number of rows, per kind of device."""


SAID = Console(stderr=True, width=100)
"""A run takes minutes: what was seen so far is told at once."""


class Times(Value):
    """Seconds to the answer, per kind of candidate."""

    compile_error: Spread | None
    """Submit to the compiler's message."""
    wrong: Spread | None
    """Submit to INCORRECT."""
    verified: Spread | None
    """Submit to *correct on all workloads*."""
    decided: Spread | None
    """Submit to the decision: verified, then timed."""


class Stream(Value):
    """A mixed stream."""

    agents: int
    verdicts: int
    took_s: float
    per_hour: float
    """Answered submissions, a timed one counting once, per hour of one device."""
    times: Times
    shares: Shares


class Turnaround(Value):
    """All figures of one run."""

    machine: Machine
    device: str
    language: str
    problem: str
    workloads: int
    baseline_s: float
    """The first claim, which has the baseline measured."""
    cold: Times
    warm: Times
    stream: Stream
    decisions: dict[str, int]
    surprises: tuple[str, ...]
    """Answers that were not what they had to be; their times are left out."""


@dataclass
class Plan:
    """What is asked for, and how often."""

    kind: Kind
    device: str
    language: str
    template: Template
    workloads: int
    cold: int
    warm_up: int
    warm: int
    agents: int
    seconds: float
    count: int
    folder: Path
    seed: int
    number: int = 0
    """Of the last submission."""
    asked: list[Asked] = field(default_factory=list)

    async def hand_in(self, agent: Agent, outcome: Outcome) -> Asked:
        """Have the agent hand in the next candidate."""
        self.number += 1
        asked = await agent.hand_in(outcome, submission(self.template, outcome, self.number))
        self.asked.append(asked)
        SAID.print(f"{len(self.asked)}: {asked.told()}", markup=False, highlight=False)
        return asked


def times(asked: Iterable[Asked]) -> Times:
    """The distributions of what was answered as it had to be."""
    good = [each for each in asked if not each.surprise]

    def until_verdict(outcome: Outcome) -> Spread | None:
        return spread([each.verified_s for each in good if each.outcome is outcome])

    return Times(
        compile_error=until_verdict(Outcome.COMPILE_ERROR),
        wrong=until_verdict(Outcome.WRONG),
        verified=until_verdict(Outcome.CORRECT),
        decided=spread([each.decided_s for each in good if each.decided_s is not None]),
    )


def measure(plan: Plan) -> Turnaround:
    """Run it in the plan's folder."""
    smallest, largest = ROWS[plan.kind]
    rows = row_counts(plan.workloads, smallest, largest)
    problem = plan.template.problem
    write_problem(plan.folder / "problems", problem, plan.kind, rows)
    with OwnServer(plan.folder, plan.device) as server:
        agent = Agent(server.url, "alone", problem, plan.device, plan.folder)
        began = time.monotonic()
        asyncio.run(agent.claim())
        baseline_s = time.monotonic() - began
        SAID.print(f"baseline and first claim: {baseline_s:.1f} s", highlight=False)
        cold = [_cold(plan, server, agent, each) for _ in range(plan.cold) for each in Outcome]
        warm = asyncio.run(_warm(plan, agent))
        asyncio.run(agent.leave())
        began_s = time.time()
        streamed, took_s = asyncio.run(_stream(plan, server.url))
    answered = [each for each in streamed if not each.surprise]
    decisions = [each.decision for each in plan.asked if each.decision]
    return Turnaround(
        machine=machine(),
        device=plan.device,
        language=plan.language,
        problem=problem,
        workloads=plan.workloads,
        baseline_s=baseline_s,
        cold=times(cold),
        warm=times(warm),
        stream=Stream(
            agents=plan.agents,
            verdicts=len(answered),
            took_s=took_s,
            per_hour=len(answered) / took_s * 3600,
            times=times(streamed),
            shares=shares(plan.folder / DATABASE, began_s),
        ),
        decisions={each: decisions.count(each) for each in sorted(set(decisions))},
        surprises=tuple(f"{each.outcome}: {each.surprise}" for each in plan.asked if each.surprise),
    )


def _cold(plan: Plan, server: Server, agent: Agent, outcome: Outcome) -> Asked:
    """The first submission after a start; the campaign and the claim are those of before."""
    server.stop()
    server.start()
    return asyncio.run(plan.hand_in(agent, outcome))


async def _warm(plan: Plan, agent: Agent) -> list[Asked]:
    found = []
    for turn in range(plan.warm_up + plan.warm):
        for outcome in Outcome:
            asked = await plan.hand_in(agent, outcome)
            found += [asked] if turn >= plan.warm_up else []
    return found


async def _stream(plan: Plan, url: str) -> tuple[list[Asked], float]:
    """The mixed stream, and the seconds from its start to its last answer."""
    stream = outcomes(random.Random(plan.seed))
    found: list[Asked] = []
    handed_in = 0

    async def work(agent: Agent) -> None:
        nonlocal handed_in
        while handed_in < plan.count if plan.count else time.monotonic() < until:
            handed_in += 1
            found.append(await plan.hand_in(agent, next(stream)))
        await agent.leave()

    names = [f"agent-{number}" for number in range(plan.agents)]
    made = [Agent(url, name, plan.template.problem, plan.device, plan.folder) for name in names]
    await asyncio.gather(*(agent.claim() for agent in made))
    began = time.monotonic()
    until = began + plan.seconds
    await asyncio.gather(*(work(agent) for agent in made))
    return found, time.monotonic() - began


def main(
    device: DeviceOption = None,
    language: LanguageOption = "",
    workloads: Annotated[int, typer.Option(min=1, help="Workloads of the problem.")] = 14,
    cold: Annotated[int, typer.Option(min=0, help="Restarts per kind of candidate.")] = 1,
    warm_up: Annotated[int, typer.Option(min=0, help="Of each kind, not counted.")] = 2,
    warm: Annotated[int, typer.Option(min=0, help="Of each kind, one after the other.")] = 10,
    agents: Annotated[int, typer.Option(min=1, help="Agents of the mixed stream.")] = 4,
    seconds: Annotated[float, typer.Option(min=0, help="How long the stream goes on.")] = 60,
    count: Annotated[int, typer.Option(min=0, help="Submissions of the stream instead.")] = 0,
    seed: Annotated[int, typer.Option(help="Of the stream's order.")] = 1,
    folder: Annotated[Path | None, typer.Option(help="For database, journals and log.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print seconds to the answer: cold, warm, and in a mixed stream of several agents."""
    kind = device or usual_kind()
    language = language or USUAL[kind]
    place = folder or Path(tempfile.mkdtemp(prefix="kernelarc-turnaround-"))
    place.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        kind=kind, device=first_device(kind).name, language=language,
        template=templates()[language], workloads=workloads, cold=cold, warm_up=warm_up,
        warm=warm, agents=agents, seconds=seconds, count=count, folder=place, seed=seed,
        number=random.randrange(NONCES),
    )  # fmt: skip
    found = measure(plan)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found, place)
    raise typer.Exit(1 if found.surprises else 0)


def _print(found: Turnaround, place: Path) -> None:
    console = Console(width=100)
    console.print(found.machine.line(), highlight=False)
    console.print(
        f"{found.problem} in {found.language} on {found.device}, {found.workloads} workloads; "
        f"baseline after {found.baseline_s:.1f} s; {place}"
    )
    table = Table("", "submit to", "n", "median s", "p95 s", "worst s")
    for when, each in (("cold", found.cold), ("warm", found.warm), ("stream", found.stream.times)):
        for name in Times.model_fields:
            table.add_row(when, name.replace("_", " "), *cells(getattr(each, name)))
    console.print(table)
    stream = found.stream
    console.print(
        f"Stream: {stream.verdicts} verdicts in {stream.took_s:.1f} s from {stream.agents} agents, "
        f"{stream.per_hour:.0f} an hour. {stream.shares.told()}"
    )
    console.print(f"Decisions: {found.decisions}")
    for surprise in found.surprises:
        console.print(f"SURPRISE: {surprise}", markup=False)


if __name__ == "__main__":
    typer.run(main)
