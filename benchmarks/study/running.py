"""Play many runs, in several processes, and keep each in a file as soon as it ended.

    cells × seeds, less those in the file -> workers -> one line of JSON each

Stopped at any moment, the same command goes on where it was. Start at `play_all`.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from benchmarks.study.grids import opened
from benchmarks.study.trial import Cell, Run, play
from guard.domain.value import Value


class Kept(Value):
    """A line of the file."""

    source: str
    run: Run


class Task(NamedTuple):
    """A run that is to be played."""

    source: str
    cell: Cell
    seed: int
    budget: int

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it another run."""
        return (self.source, self.cell, self.seed, self.budget)


def read(file: Path) -> Iterator[Kept]:
    """The runs in a file; a last line that was cut off is left out."""
    if not file.exists():
        return
    for line in file.read_text("utf-8").splitlines():
        try:
            yield Kept.model_validate_json(line)
        except ValidationError:
            continue


def play_all(
    source: str, cells: Sequence[Cell], seeds: Sequence[int], budget: int, out: Path, workers: int
) -> Iterator[tuple[int, int]]:
    """Play what the file lacks; tells how many runs are there, of how many."""
    done = {(k.source, k.run.cell, k.run.seed, k.run.budget) for k in read(out)}
    tasks = [Task(source, cell, seed, budget) for seed in seeds for cell in cells]
    missing = [task for task in tasks if task.key not in done]
    told = len(tasks) - len(missing)
    yield told, len(tasks)
    _end_the_cut_line(out)
    with out.open("a", encoding="utf-8") as file:
        for kept in _played(missing, workers):
            file.write(kept.model_dump_json() + "\n")
            file.flush()
            told += 1
            yield told, len(tasks)


def one(task: Task) -> Kept:
    """Play one run."""
    evaluator, catalogue = opened(task.source, task.seed)
    run = asyncio.run(play(task.cell, task.seed, task.budget, evaluator, catalogue))
    return Kept(source=task.source, run=run)


def _played(tasks: Iterable[Task], workers: int) -> Iterator[Kept]:
    if workers == 1:
        yield from map(one, tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(one, task) for task in tasks]):
            yield future.result()


def _end_the_cut_line(file: Path) -> None:
    """Begin a new line where a stopped writer left half of one."""
    if file.exists() and not file.read_bytes().endswith(b"\n"):
        with file.open("ab") as kept:
            kept.write(os.linesep.encode())
