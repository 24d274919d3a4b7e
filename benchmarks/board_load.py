"""What a call costs on a board that holds the rows of 1,000 agents: flat, or growing with them?

    python -m benchmarks.board_load [--agents 1000] [--rows 1000 --rows 1000000] [--json]

A board is filled in bulk to each size; on a copy of it a real house is opened in process, whose
referee keeps every order for ever, and its functions are called as its tools call them, one call at
a time. The steps of SQLite's machine are counted beside the clock: they are the same on any host.

Start at `measure`. Not here: the rows (`_filling`), the calls (`_calls`), the protocol around them
(`mcp_overhead`, `soak`).
"""

import asyncio
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._board import begin
from benchmarks._calls import Call, Calls
from benchmarks._figures import Latencies, latencies
from benchmarks._filling import Filling
from benchmarks._idle import IdleExecutor
from benchmarks._machine import Machine, machine
from benchmarks._options import JsonOption, Kind, first_device
from benchmarks._problems import PROBLEMS, read_problem
from benchmarks._servers import DATABASE
from benchmarks._steps import Steps, counting
from benchmarks._stints import Stints
from coordinator import catalogue
from guard.domain.value import Value
from memory import views
from memory.board import Board
from memory.engine import open_database
from server.bootstrap import load_plugins, open_house
from server.metrics import Metrics
from server.settings import Settings

EXAMPLE = "softmax_rows"
ROWS = (1_000, 10_000, 100_000, 1_000_000)
SAID = Console(stderr=True, width=100)


class Cell(Value):
    """One kind of call on a board of one size."""

    call: str
    took: Latencies
    processor_ms: float
    """Of this process in one call, all its threads together, median: the same on a busy host."""
    steps: float
    """Of SQLite's machine in one call, median."""


class Level(Value):
    """A board of one size."""

    rows: int
    tables: dict[str, int]
    file_bytes: int
    cells: tuple[Cell, ...]


class BoardLoad(Value):
    """All figures of one run."""

    machine: Machine
    agents: int
    levels: tuple[Level, ...]


def measure(folder: Path, agents: int, sizes: Sequence[int], calls: int) -> BoardLoad:
    """Fill a board in this folder to one size after the other, and call on a copy of each."""
    levels = []
    filled = folder / "filled.db"
    with _filling(filled, agents) as filling:
        for size in sorted(sizes):
            filling.grow(size)
            SAID.print(f"{filling.rows.total()} rows", highlight=False)
            copy = _copied(filled, folder / str(size))
            cells = asyncio.run(measured(copy, agents, calls))
            levels.append(
                Level(
                    rows=filling.rows.total(),
                    tables=dict(filling.rows),
                    file_bytes=filled.stat().st_size,
                    cells=tuple(cells),
                )
            )
            shutil.rmtree(copy.parent)
    return BoardLoad(machine=machine(), agents=agents, levels=tuple(levels))


async def measured(file: Path, agents: int, calls: int) -> list[Cell]:
    """Open a house on this database, and make so many calls of each kind."""
    executor = IdleExecutor()
    installed = replace(load_plugins(), executors={executor.name: executor})
    chosen = Settings(db=f"sqlite:///{file}", problems=PROBLEMS, device=Kind.CPU)
    house = open_house(chosen, Metrics(), installed)
    try:
        campaign = views.open_campaign(house.database, EXAMPLE, Kind.CPU)
        assert campaign is not None
        kinds_of_calls = Calls(house, executor.opened[0], campaign, agents)
        await kinds_of_calls.settle()
        found = []
        for name, call in kinds_of_calls.kinds().items():
            with counting(house.database) as steps:
                found.append(await _cell(name, call, calls, steps))
            SAID.print(f"  {name}: {found[-1].took.median_ms:.1f} ms, {found[-1].steps:.0f} steps")
        return found
    finally:
        await house.close()


def _copied(file: Path, folder: Path) -> Path:
    """A copy of the database, of which a part still lies in its log."""
    folder.mkdir()
    copy = folder / DATABASE
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


async def _cell(name: str, call: Call, calls: int, steps: Steps) -> Cell:
    took_s, used_s, counts = [], [], []
    for number in range(calls + 1):
        before, used, began = steps.taken, time.process_time(), time.perf_counter()
        answer = await call.timed()
        if number:
            # The first one fills caches.
            took_s.append(time.perf_counter() - began)
            used_s.append(time.process_time() - used)
            counts.append(steps.taken - before)
        if call.after is not None:
            await call.after(answer)
    return Cell(
        call=name,
        took=latencies(took_s),
        processor_ms=1e3 * median(used_s),
        steps=median(counts),
    )


@contextmanager
def _filling(file: Path, agents: int) -> Iterator[Filling]:
    database = open_database(f"sqlite:///{file}")
    device, problem = first_device(Kind.CPU), read_problem(PROBLEMS / EXAMPLE)
    campaign = begin(Board(database), problem, device)
    known = catalogue.load()
    fitting = known.fitting(device.kind, known.families_of(problem.definition))
    stints = Stints(campaign, [(each.id, each.lane) for each in fitting], agents)
    yield Filling(database, stints)
    database.close()


def main(
    agents: Annotated[int, typer.Option(min=32, help="Labels that the rows belong to.")] = 1000,
    rows: Annotated[
        list[int] | None, typer.Option(min=1, help="Size of the board; may be given several times.")
    ] = None,
    calls: Annotated[int, typer.Option(min=2, help="Calls of each kind.")] = 300,
    as_json: JsonOption = False,
) -> None:
    """Print milliseconds and steps of every kind of call, per size of the board."""
    with tempfile.TemporaryDirectory(prefix="kernelarc-load-") as folder:
        found = measure(Path(folder), agents, rows or ROWS, calls)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)


def _print(found: BoardLoad) -> None:
    console = Console(width=100)
    console.print(found.machine.line(), highlight=False)
    for level in found.levels:
        size = f"{level.rows} rows of {found.agents} agents, {level.file_bytes / 2**20:.0f} MiB"
        console.print(size, highlight=False)
        table = Table("call", "n", "median ms", "p95", "p99", "worst", "CPU ms", "steps")
        for cell in level.cells:
            used = (f"{cell.processor_ms:.2f}", f"{cell.steps:.0f}")
            table.add_row(cell.call, *cell.took.told(), *used)
        console.print(table)


if __name__ == "__main__":
    typer.run(main)
