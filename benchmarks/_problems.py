"""Problem folders made for a benchmark: an example's definition with row counts of our own.

Start at `write_problem`. Not here: the solutions (`_stream`).
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from examples.stage import ROOT
from guard import plugins
from guard.domain.problem import Problem

PROBLEMS = ROOT / "examples" / "problems"
FILES = {"cpu": "workload.cpu.jsonl", "nvidia": "workload.jsonl"}
FORMAT = "sol_execbench"


def row_counts(count: int, smallest: int, largest: int) -> tuple[int, ...]:
    """So many different sizes from the smallest on, each larger by the same factor or by one."""
    factor = (largest / smallest) ** (1 / max(1, count - 1))
    sizes: list[int] = []
    for number in range(count):
        size = round(smallest * factor**number)
        sizes.append(max(size, sizes[-1] + 1) if sizes else size)
    return tuple(sizes)


def write_problem(folder: Path, example: str, kind: str, rows: Sequence[int]) -> Path:
    """Copy an example, with one workload for each number of rows on such a device.

    Everything but the first axis stays as in the example's first workload.
    """
    place = folder / example
    shutil.copytree(PROBLEMS / example, place)
    file = place / FILES[kind]
    first = json.loads(file.read_text("utf-8").splitlines()[0])
    axis = next(iter(first["axes"]))
    lines = []
    for number in rows:
        axes = {**first["axes"], axis: number}
        lines.append(json.dumps({**first, "uuid": f"rows-{number}", "axes": axes}))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return place


def read_problem(place: Path) -> Problem:
    """Read what `write_problem` wrote."""
    problem: Problem = plugins.load("formats")[FORMAT].read(place)
    return problem
