"""Real MCP clients on one server, a call per second each: errors, how late the loop is, memory.

    python -m benchmarks.soak [--clients 64] [--seconds 600] [--submit-every 4] [--json]

A server process as an operator starts it, and clients of the SDK on both eras in this process. They
read problems, boards and solutions, take strategies, wait for jobs and give strategies back; now
and then one hands in a small C++ candidate, half of which do not compile, and some are timed. Ends
with 1 where a call failed through no fault of its client, a connection was lost, the loop was late,
or the server's or the referee's memory grew.

Start at `measure`. Not here: what one client does (`_visitor`), candidates that fail
(`fault_soak`).
"""

import asyncio
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._figures import Latencies, latencies
from benchmarks._growth import ROLES, Look, grown, look
from benchmarks._load import Era
from benchmarks._machine import Machine, machine
from benchmarks._options import JsonOption
from benchmarks._problems import write_problem
from benchmarks._scrape import Buckets, between, buckets_of, fetch, percentile_s
from benchmarks._servers import OwnServer
from benchmarks._stream import NONCES, Outcome, Submission, submission, templates
from benchmarks._visitor import OWN_FAULT, PERIOD_S, Common, Pace, Reply, Visitor
from guard.domain.value import Value

PROBLEMS = ("softmax_rows", "linear_silu")
"""Clients take turns on them; candidates are handed in for the first."""
TEMPLATE = "cpp"
ROWS = (64,)
LOOKS = 10
"""At memory and loop, evenly spread, besides the first."""
LATE_S = 0.05
"""The loop is at most so late, in 99 looks of 100."""
SETTLE_S = 15.0
"""Until every client has connected and the baselines are measured; not counted."""
SAID = Console(stderr=True, width=100)


class Moment(Value):
    """One look at the server."""

    at_s: float
    resident_bytes: dict[str, int]
    descriptors: dict[str, int]
    late_p99_ms: float
    """Of the loop, since the look before."""


class Soak(Value):
    """All figures of one run."""

    machine: Machine
    clients: int
    seconds: float
    calls_per_s: float
    calls: dict[str, Latencies]
    """By tool, as the clients saw them: their own process is on the same cores."""
    refusals: dict[str, int]
    """By tool and code, those that the clients earned."""
    errors: tuple[str, ...]
    """All others, and lost connections."""
    late_ms: dict[str, float]
    """Percentiles of how late the loop was."""
    moments: tuple[Moment, ...]
    troubles: tuple[str, ...]


class Watch:
    """Looks at a server while it is busy."""

    def __init__(self, server: OwnServer) -> None:
        self._server = server
        self._began = time.monotonic()
        self.looks: list[Look] = []
        self.moments: list[Moment] = []
        self.first: Buckets = {}
        self.last: Buckets = {}

    async def look(self) -> None:
        """Look once."""
        page = await asyncio.to_thread(fetch, self._server.url)
        before, self.last = self.last, buckets_of(page)
        self.first = self.first or self.last
        seen = await asyncio.to_thread(look, self._server.pid)
        moment = Moment(
            at_s=time.monotonic() - self._began,
            resident_bytes={role: held.resident_bytes for role, held in seen.items()},
            descriptors={role: held.descriptors for role, held in seen.items()},
            late_p99_ms=1e3 * percentile_s(between(before, self.last), 99),
        )
        self.looks.append(seen)
        self.moments.append(moment)
        told = ", ".join(f"{r} {b / 2**20:.0f} MiB" for r, b in moment.resident_bytes.items())
        SAID.print(f"{moment.at_s:.0f} s: {told}, loop p99 {moment.late_p99_ms:.1f} ms")


async def _settled(common: Common, visitors: Sequence[Visitor]) -> None:
    """Measure the baselines, and let everybody call for a while."""
    now = time.monotonic()
    first = [each.stay(now, now + SETTLE_S) for each in visitors]
    await asyncio.gather(*first)
    common.replies.clear()


async def _run(server: OwnServer, clients: int, seconds: float, submit_every_s: float) -> Soak:
    numbers = itertools.count(random.randrange(NONCES))
    template = templates()[TEMPLATE]

    def candidate(outcome: Outcome) -> Submission:
        return submission(template, outcome, next(numbers))

    common = Common(server.url, candidate, Pace(submit_every_s))
    eras = list(Era)
    visitors = [
        Visitor(common, eras[n // 2 % 2], n, PROBLEMS[n % 2], hands_in=n % 2 == 0)
        for n in range(clients)
    ]
    await _settled(common, visitors)
    watch = Watch(server)
    began = time.monotonic()
    staying = [
        # Evenly over the second, as clients that know nothing of each other would call.
        asyncio.create_task(each.stay(began + n * PERIOD_S / clients, began + seconds))
        for n, each in enumerate(visitors)
    ]
    for turn in range(LOOKS):
        await watch.look()
        await asyncio.sleep(began + (turn + 1) * seconds / LOOKS - time.monotonic())
    await watch.look()
    await asyncio.gather(*staying)
    return summary(machine(), clients, seconds, common.replies, watch)


def summary(
    where: Machine, clients: int, seconds: float, replies: Sequence[Reply], watch: Watch
) -> Soak:
    """What a run came to."""
    answered = [reply for reply in replies if not reply.code]
    tools = sorted({reply.tool for reply in answered})
    late = between(watch.first, watch.last)
    late_ms = {f"p{share:g}": 1e3 * percentile_s(late, share) for share in (50, 95, 99, 99.9)}
    errors = [r for r in replies if r.code and r.code not in OWN_FAULT]
    earned = Counter(f"{r.tool}: {r.code}" for r in replies if r.code in OWN_FAULT)
    troubles = [f"grown: {one}" for one in grown(watch.looks)]
    troubles += [f"{len(errors)} errors"] if errors else []
    troubles += ["the loop was late"] if late_ms["p99"] > 1e3 * LATE_S else []
    return Soak(
        machine=where,
        clients=clients,
        seconds=seconds,
        calls_per_s=len(answered) / seconds,
        calls={t: latencies([r.took_s for r in answered if r.tool == t]) for t in tools},
        refusals=dict(earned),
        errors=tuple(f"{r.tool}: {r.code}: {r.said}" for r in errors),
        late_ms=late_ms,
        moments=tuple(watch.moments),
        troubles=tuple(troubles),
    )


def measure(folder: Path, clients: int, seconds: float, submit_every_s: float) -> Soak:
    """Start the server in this folder and let the clients call."""
    for problem in PROBLEMS:
        write_problem(folder / "problems", problem, "cpu", ROWS)
    with OwnServer(folder, "cpu") as server:
        return asyncio.run(_run(server, clients, seconds, submit_every_s))


def main(
    clients: Annotated[int, typer.Option(min=1, help="Clients, a call per second each.")] = 64,
    seconds: Annotated[float, typer.Option(min=10, help="How long they stay.")] = 600,
    submit_every: Annotated[
        float, typer.Option(min=0.1, help="Seconds between two candidates, all clients together.")
    ] = 4,
    as_json: JsonOption = False,
) -> None:
    """Print calls, errors, how late the loop was, and memory over the run."""
    with tempfile.TemporaryDirectory(prefix="kernelarc-soak-") as folder:
        found = measure(Path(folder), clients, seconds, submit_every)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)
    raise typer.Exit(1 if found.troubles else 0)


def _print(found: Soak) -> None:
    console = Console(width=100)
    console.print(found.machine.line(), highlight=False)
    late = ", ".join(f"{name} {value:.1f} ms" for name, value in found.late_ms.items())
    console.print(
        f"{found.clients} clients for {found.seconds:.0f} s, {found.calls_per_s:.1f} answers a "
        f"second; the loop was late by {late}"
    )
    calls = Table("tool", "n", "median ms", "p95", "p99", "worst")
    for tool, took in found.calls.items():
        calls.add_row(tool, *took.told())
    console.print(calls)
    memory = Table("s", *(f"{role} {what}" for role in ROLES for what in ("MiB", "fds")), "p99 ms")
    for each in found.moments:
        cells = [
            cell
            for role in ROLES
            for cell in (
                f"{each.resident_bytes.get(role, 0) / 2**20:.1f}",
                str(each.descriptors.get(role, 0)),
            )
        ]
        memory.add_row(f"{each.at_s:.0f}", *cells, f"{each.late_p99_ms:.1f}")
    console.print(memory)
    console.print(f"Refusals that clients earned: {found.refusals or 'none'}")
    for one in (*found.errors, *found.troubles):
        console.print(f"TROUBLE: {one}", markup=False)


if __name__ == "__main__":
    typer.run(main)
