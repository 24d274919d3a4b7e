"""Processes that race for claims on one board: what is granted twice, and what a call takes.

    python -m benchmarks.claim_race [--processes 32] [--claims 2000] [--json]

All processes start at the same moment, and each asks for every strategy once, in the same order: so
many claims are granted, each of them raced for by all. Nobody waits between two calls, so the board
is under full load all the time, and most of a call's time goes by waiting for others. Ends with 1
when the processes were told anything else than what the board holds.

Start at `race`. Not here: a small race among the tests (`tests/memory/test_races.py`), who decides
it (`memory.writes.claims`).
"""

import multiprocessing
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._board import TOKEN, begin
from benchmarks._figures import Latencies, latencies
from benchmarks._machine import Machine, machine
from benchmarks._options import JsonOption, Kind, first_device
from benchmarks._problems import PROBLEMS, read_problem
from guard.domain.value import Value
from memory import views
from memory.board import Board
from memory.engine import open_database

EXAMPLE = "softmax_rows"
LEASE_S = 3600.0
READY_S = 300.0
"""How long the last of the processes may take until it is ready."""


class Asked(NamedTuple):
    """One call: the claim's id if it was granted, and what it took."""

    strategy: str
    claim_id: str
    took_s: float


class Race(Value):
    """All figures of one run."""

    machine: Machine
    processes: int
    claims: int
    granted_twice: tuple[str, ...]
    """Strategies that more than one process was told to hold."""
    not_as_told: tuple[str, ...]
    """Strategies that nobody was told to hold, or whose claim on the board is another one."""
    took_s: float
    calls: Latencies
    granted: Latencies
    refused: Latencies | None
    """Calls that came too late."""


def race(folder: Path, processes: int, claims: int) -> Race:
    """Let so many processes race for so many claims on a new board in this folder."""
    url = f"sqlite:///{folder / 'board.db'}"
    with_database = open_database(url)
    problem = read_problem(PROBLEMS / EXAMPLE)
    campaign = begin(Board(with_database), problem, first_device(Kind.CPU))
    with_database.close()
    strategies = [f"strategy-{number}" for number in range(claims)]
    began = time.monotonic()
    asked = _raced(processes, url, campaign.id, strategies)
    took_s = time.monotonic() - began
    reading = open_database(url)
    held = {claim.strategy: claim.id for claim in views.claims(reading, campaign.id)}
    reading.close()
    return summary(machine(), processes, strategies, asked, held, took_s)


def summary(
    where: Machine,
    processes: int,
    strategies: Sequence[str],
    asked: Sequence[Asked],
    held: Mapping[str, str],
    took_s: float,
) -> Race:
    """The figures of a race; `held`: the claim of each strategy that is on the board."""
    told: dict[str, list[str]] = {strategy: [] for strategy in strategies}
    for one in asked:
        told[one.strategy] += [one.claim_id] if one.claim_id else []
    refused = [one.took_s for one in asked if not one.claim_id]
    return Race(
        machine=where,
        processes=processes,
        claims=len(strategies),
        granted_twice=tuple(name for name, ids in told.items() if len(ids) > 1),
        not_as_told=tuple(n for n, ids in told.items() if set(ids) != {held.get(n, "")}),
        took_s=took_s,
        calls=latencies([one.took_s for one in asked]),
        granted=latencies([one.took_s for one in asked if one.claim_id]),
        refused=latencies(refused) if refused else None,
    )


def _raced(
    processes: int, url: str, campaign_id: int, strategies: Sequence[str]
) -> Sequence[Asked]:
    # Forked: what is imported once need not be imported by each of them on a host of few cores.
    context = multiprocessing.get_context("fork")
    ready = context.Barrier(processes)
    racers, answers = [], []
    for number in range(processes):
        answer, telling = context.Pipe(duplex=False)
        wanted = (url, campaign_id, strategies, number, ready, telling)
        racers.append(context.Process(target=_ask_for_all, args=wanted))
        racers[-1].start()
        # Only the racer holds it now, so that the pipe ends when the racer does.
        telling.close()
        answers.append(answer)
    found = [Asked(*one) for answer in answers for one in answer.recv()]
    for racer in racers:
        racer.join()
    return found


def _ask_for_all(
    url: str,
    campaign_id: int,
    strategies: Iterable[str],
    number: int,
    ready: Barrier,
    telling: Connection,
) -> None:
    board = Board(open_database(url, exclusive=False))
    found = []
    ready.wait(READY_S)
    for strategy in strategies:
        began = time.perf_counter()
        claim = board.claim(
            campaign_id,
            strategy=strategy,
            lane="race",
            token=TOKEN,
            # An agent holds one claim at a time, so that each call is another agent's.
            agent=f"{strategy} by {number}",
            reason="it was asked for",
            lease_s=LEASE_S,
            now_s=time.time(),
        )
        found.append(Asked(strategy, claim.id if claim else "", time.perf_counter() - began))
    telling.send([tuple(one) for one in found])


def main(
    processes: Annotated[int, typer.Option(min=1, help="Processes that race.")] = 32,
    claims: Annotated[int, typer.Option(min=1, help="Claims to be granted.")] = 2000,
    as_json: JsonOption = False,
) -> None:
    """Print what was granted twice, and what a call took."""
    with tempfile.TemporaryDirectory(prefix="kernelarc-race-") as folder:
        found = race(Path(folder), processes, claims)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)
    raise typer.Exit(1 if found.granted_twice or found.not_as_told else 0)


def _print(found: Race) -> None:
    console = Console(width=100)
    console.print(found.machine.line(), highlight=False)
    console.print(
        f"{found.claims} claims, {found.processes} processes, {found.took_s:.1f} s: "
        f"{len(found.granted_twice)} granted twice, "
        f"{len(found.not_as_told)} otherwise than on the board"
    )
    table = Table("calls", "n", "median ms", "p95", "p99", "worst")
    for name in ("calls", "granted", "refused"):
        each: Latencies | None = getattr(found, name)
        table.add_row(name, *(each.told() if each is not None else ("0",)))
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
