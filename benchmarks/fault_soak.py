"""Faulting candidates in a row, from several agents at once: verdicts, and what stays behind.

    python -m benchmarks.fault_soak --count 200 --agents 4

A real server process with a real referee on the CPU, and little patience (2 s a call). Each agent
works under a claim of its own; after every fourth fault it hands in an honest candidate, which
must pass. Ends with 1 when a verdict is wrong, a process is left behind, the device is in
quarantine, or memory or descriptors of server or referee grow. Start at `soak`.
"""

import asyncio
import json
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console
from rich.table import Table

from benchmarks._growth import ROLES, Look, grown, look
from benchmarks._stage import HastyServer, small_softmax
from benchmarks.faults import FAULTS, LEFT_BEHIND, Fault
from examples.team.connection import Connection
from examples.team.journal import Journal
from guard.referee.spares import SPARES

PROBLEM = "softmax_rows"
HONEST = "import torch\n\n\ndef run(x, y):\n    torch.softmax(x, dim=1, out=y)\n"
HONEST_EVERY = 4
SAMPLES = 8
"""Looks at memory and descriptors, evenly spread; the first quarter of the run is warming up."""
GONE_S = 10.0
STAYING = 3 + 2 * SPARES
"""Referee, zygote, clerk; of each runner that waits for a candidate, itself and its keeper."""

WAITING = ("preparing", "busy")
"""What a claim is answered with for a while; anything else but a grant ends the run."""


class NoClaim(Exception):
    """The server gave no strategy, so nothing could be handed in."""


@dataclass
class Outcome:
    """What a run came to."""

    right: int = 0
    honest: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """Per fault, from asking to the verdict, queueing behind other agents included."""
    samples: list[Look] = field(default_factory=list)
    """Per look and role: resident bytes, open descriptors."""
    left: list[str] = field(default_factory=list)
    quarantined: dict[str, str] = field(default_factory=dict)

    def troubles(self) -> list[str]:
        """Everything that must not be."""
        sick = [f"quarantined: {d}: {why}" for d, why in self.quarantined.items()]
        left = [f"left behind: {one}" for one in self.left]
        return [*self.wrong, *left, *sick, *(f"grown: {one}" for one in grown(self.samples))]


class Soak:
    """The agents, and what they have in common."""

    def __init__(self, server: HastyServer, count: int, agents: int, folder: Path) -> None:
        self.outcome = Outcome()
        self._server = server
        self._folder = folder
        self._agents = agents
        self._todo = [(n, FAULTS[n % len(FAULTS)]) for n in range(count)]
        self._every = max(1, count // SAMPLES)

    async def run(self) -> None:
        """Let all agents work until nothing is left to hand in."""
        seats = range(self._agents)
        await asyncio.gather(*(self._agent(f"agent-{seat}") for seat in seats))
        self.outcome.samples.append(look(self._server.pid))

    async def _agent(self, name: str) -> None:
        journal = Journal(self._folder / f"{name}.jsonl", name)
        connection = Connection(self._server.url, journal)
        claim_id = await _claim(connection, name)
        done = 0
        while self._todo:
            number, fault = self._todo.pop(0)
            if number % self._every == 0:
                self.outcome.samples.append(await asyncio.to_thread(look, self._server.pid))
            mark = f"\n// {number}\n" if fault.language == "cpp" else f"\n# {number}\n"
            began = time.monotonic()
            told = await _verdict(connection, claim_id, fault.language, fault.source + mark)
            self.outcome.seconds.setdefault(fault.name, []).append(time.monotonic() - began)
            self._note(number, fault, told)
            done += 1
            if done % HONEST_EVERY == 0:
                mark = f"# {name}, {number}\n"
                self._note_honest(
                    name, await _verdict(connection, claim_id, "pytorch", HONEST + mark)
                )
        journal.close()

    def _note(self, number: int, fault: Fault, told: dict[str, Any]) -> None:
        first = (told.get("workloads") or [{}])[0]
        log = str(first.get("untrusted_log", ""))
        if first.get("status") == fault.status and fault.evidence in log:
            self.outcome.right += 1
        else:
            said = json.dumps(told, ensure_ascii=False)[:400]
            self.outcome.wrong.append(f"candidate {number} ({fault.name}): {said}")

    def _note_honest(self, name: str, told: dict[str, Any]) -> None:
        if str(told.get("verdict", "")).startswith("correct on all"):
            self.outcome.honest += 1
        else:
            said = json.dumps(told, ensure_ascii=False)[:400]
            self.outcome.wrong.append(f"an honest candidate of {name}: {said}")


async def _claim(connection: Connection, agent: str) -> str:
    given = await connection.call("claim_strategy", problem=PROBLEM, agent=agent, device="cpu")
    while given.facts.get("status") in WAITING:
        given = await connection.call("claim_strategy", problem=PROBLEM, agent=agent, device="cpu")
    if given.facts.get("status") != "granted":
        raise NoClaim(json.dumps(given.facts, ensure_ascii=False))
    return str(given.facts["claim_id"])


async def _verdict(
    connection: Connection, claim_id: str, language: str, source: str
) -> dict[str, Any]:
    reply = await connection.call(
        "compile_and_verify", claim_id=claim_id, language=language, source=source
    )
    while reply.facts.get("state") in ("queued", "running"):
        reply = await connection.call("job_wait", job_ids=[reply.facts["job_id"]])
    return reply.facts


def left_behind(server_pid: int) -> list[str]:
    """Processes that are there once they had time to go, besides those that stay."""
    deadline = time.monotonic() + GONE_S
    while True:
        # The runners are forks of the zygote and share its command line: they are counted.
        below = psutil.Process(server_pid).children(recursive=True)
        found = [f"{len(below)} processes below the server"] if len(below) > STAYING else []
        named = psutil.process_iter(["name"])
        found += [f"process {p.pid}" for p in named if p.info["name"] == LEFT_BEHIND]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


def soak(count: int, agents: int, folder: Path) -> Outcome:
    """Run it in this folder."""
    small_softmax(folder / "problems")
    with HastyServer(folder) as server:
        work = Soak(server, count, agents, folder)
        asyncio.run(work.run())
        work.outcome.left = left_behind(server.pid)
        with urllib.request.urlopen(server.url.removesuffix("/mcp") + "/healthz") as page:
            work.outcome.quarantined = json.load(page)["quarantined"]
    return work.outcome


def main(
    count: Annotated[int, typer.Option(help="Faulting candidates.")] = 200,
    agents: Annotated[int, typer.Option(help="Agents at once.")] = 4,
    folder: Annotated[Path | None, typer.Option(help="For database, journals and log.")] = None,
) -> None:
    """Print verdicts and times per fault, then memory and descriptors over the run."""
    place = folder or Path(tempfile.mkdtemp(prefix="kernelarc-soak-"))
    place.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    outcome = soak(count, agents, place)
    console = Console(width=100)
    times = Table("fault", "candidates", "seconds to the verdict: median", "worst")
    for name, seconds in sorted(outcome.seconds.items()):
        middle = sorted(seconds)[len(seconds) // 2]
        times.add_row(name, str(len(seconds)), f"{middle:.1f}", f"{max(seconds):.1f}")
    console.print(times)
    roles = Table("look", *(f"{role} {what}" for role in ROLES for what in ("MiB", "fds")))
    for number, sample in enumerate(outcome.samples):
        pairs = [sample.get(role, (0, 0)) for role in ROLES]
        cells = [cell for rss, fds in pairs for cell in (f"{rss / 2**20:.1f}", str(fds))]
        roles.add_row(str(number), *cells)
    console.print(roles)
    took_s = time.monotonic() - began
    console.print(
        f"{outcome.right} of {count} verdicts right, {outcome.honest} honest candidates passed, "
        f"{took_s:.0f} s in all, in {place}"
    )
    for trouble in outcome.troubles():
        console.print(f"TROUBLE: {trouble}", markup=False)
    raise typer.Exit(1 if outcome.troubles() else 0)


if __name__ == "__main__":
    typer.run(main)
