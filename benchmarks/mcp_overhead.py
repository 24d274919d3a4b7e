"""What our server adds to a tool call: our cheapest tools against a no-op of a bare SDK server.

    python -m benchmarks.mcp_overhead [--calls 256] [--rounds 7] [--json]

Both are processes of the same make: uvicorn, Streamable HTTP, stateless. `get_problem` without a
name is our nearest thing to a no-op: it reads no database, but looks up its caller, checks its
arguments and writes an answer. `read_board` reads the database. The servers are
called in turn, in another order each round. Start at `measure`. Not here: the clients (`_load`).
"""

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._figures import percentile
from benchmarks._load import Era, How, Load, Target, connected, load
from benchmarks._machine import Machine, machine
from benchmarks._options import JsonOption
from benchmarks._problems import write_problem
from benchmarks._servers import NOTHING, BareServer, OwnServer
from guard.domain.value import Value

EXAMPLE = "softmax_rows"
BARE = "bare no-op"
CLIENTS = (1, 8, 64)


class Cell(Value):
    """One tool, called by so many clients of one kind on one era."""

    tool: str
    client: How
    era: Era
    clients: int
    calls: int
    median_ms: float
    p95_ms: float
    p99_ms: float
    calls_per_s: float
    """Of all clients together, median over rounds."""
    ratio: float
    """Its median latency ÷ the bare no-op's of the same round, median over rounds."""
    ratio_low: float
    ratio_high: float


class Overhead(Value):
    """All figures of one run."""

    machine: Machine
    rounds: int
    cells: tuple[Cell, ...]


def cells(
    rounds: Sequence[Mapping[str, Load]], how: How, era: Era, clients: int
) -> tuple[Cell, ...]:
    """The figures of every tool over some rounds; the bare no-op is among the tools."""
    found = []
    bare_s = [median(turn[BARE].latencies_s) for turn in rounds]
    for tool in rounds[0]:
        loads = [turn[tool] for turn in rounds]
        latencies_ms = [1e3 * latency for each in loads for latency in each.latencies_s]
        ratios = [median(a.latencies_s) / b for a, b in zip(loads, bare_s, strict=True)]
        found.append(
            Cell(
                tool=tool,
                client=how,
                era=era,
                clients=clients,
                calls=len(latencies_ms),
                median_ms=median(latencies_ms),
                p95_ms=percentile(latencies_ms, 95),
                p99_ms=percentile(latencies_ms, 99),
                calls_per_s=median(len(each.latencies_s) / each.took_s for each in loads),
                ratio=median(ratios),
                ratio_low=min(ratios),
                ratio_high=max(ratios),
            )
        )
    return tuple(found)


async def _compared(
    targets: Mapping[str, Target], how: How, era: Era, clients: int, calls: int, rounds: int
) -> tuple[Cell, ...]:
    found: list[dict[str, Load]] = []
    async with AsyncExitStack() as stack:
        asks = {
            tool: await stack.enter_async_context(connected(target, how, era, clients))
            for tool, target in targets.items()
        }
        for turn in range(rounds):
            order = list(asks) if turn % 2 == 0 else list(reversed(asks))
            loads = {tool: await load(asks[tool], calls) for tool in order}
            found.append({tool: loads[tool] for tool in asks})
    return cells(found, how, era, clients)


def measure(clients: Sequence[int], calls: int, rounds: int) -> Overhead:
    """Start both servers, and call them in every way."""
    found: list[Cell] = []
    with tempfile.TemporaryDirectory(prefix="kernelarc-overhead-") as name:
        folder = Path(name)
        write_problem(folder / "problems", EXAMPLE, "cpu", (8,))
        with OwnServer(folder, "cpu") as ours, BareServer(folder) as bare:
            targets = {
                BARE: Target(bare.url, NOTHING, {}),
                "get_problem": Target(ours.url, "get_problem", {}),
                "read_board": Target(ours.url, "read_board", {"problem": EXAMPLE}),
            }
            for how in How:
                for era in Era:
                    for count in clients:
                        compared = _compared(targets, how, era, count, calls, rounds)
                        found += asyncio.run(compared)
    return Overhead(machine=machine(), rounds=rounds, cells=tuple(found))


def main(
    clients: Annotated[
        list[int] | None, typer.Option(min=1, help="Clients at once; may be given several times.")
    ] = None,
    calls: Annotated[int, typer.Option(min=1, help="Calls of a tool in one round.")] = 256,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each comparison.")] = 7,
    as_json: JsonOption = False,
) -> None:
    """Print latencies, calls a second, and ratios to the bare server's no-op."""
    found = measure(clients or CLIENTS, calls, rounds)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)


def _print(found: Overhead) -> None:
    console = Console(width=110)
    console.print(found.machine.line(), highlight=False)
    table = Table(
        "client", "era", "clients", "tool", "median ms", "p95", "p99", "calls/s", "ratio (range)"
    )
    for each in found.cells:
        table.add_row(
            each.client,
            each.era,
            str(each.clients),
            each.tool,
            f"{each.median_ms:.2f}",
            f"{each.p95_ms:.2f}",
            f"{each.p99_ms:.2f}",
            f"{each.calls_per_s:.0f}",
            f"{each.ratio:.2f} ({each.ratio_low:.2f} to {each.ratio_high:.2f})",
        )
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
