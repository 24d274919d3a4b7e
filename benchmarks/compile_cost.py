"""What a torch binding costs to compile: light headers against torch's own, on this machine.

    python -m benchmarks.compile_cost [SOURCE…] [--rounds 5] [--architecture sm_90a] [--json]

Without a source, an RMSNorm with a binding is compiled. Each way is taken in turn, in a fresh
folder and without walls: what those cost is told by `sandbox_cost`. Start at `main`.
"""

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._machine import Machine, machine
from guard import torch_build
from guard.compile import clean

EXAMPLE = Path(__file__).parent / "sources" / "rmsnorm_binding.cu"
Found = Mapping[str, Sequence[float]]


def main(
    source: Annotated[list[Path] | None, typer.Argument(help="Files of one solution.")] = None,
    rounds: Annotated[int, typer.Option(help="Compiles of each kind.", min=1)] = 5,
    architecture: Annotated[str, typer.Option(help="Of the GPU.")] = "sm_90a",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print both distributions in seconds, and what they were taken on."""
    paths = source or [EXAMPLE]
    here = machine()
    found: dict[str, list[float]] = {way: [] for way in torch_build.WAYS}
    refused: dict[str, str] = {}
    for _ in range(rounds):
        for way in torch_build.WAYS:
            if way in refused:
                continue
            took_s, why = _one(way, paths, architecture)
            found[way].append(took_s)
            if why:
                refused[way] = why
    told = {"machine": here.model_dump(), "seconds": found, "refused": refused}
    print(json.dumps(told, indent=2)) if as_json else _print(found, refused, here)


def _one(way: str, paths: Sequence[Path], architecture: str) -> tuple[float, str]:
    """Seconds, and why it did not compile."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for path in paths:
            (scratch / path.name).write_bytes(path.read_bytes())
        names = [path.name for path in paths]
        started = time.perf_counter()
        built = torch_build.build_so(way, names, torch_build.Options(), architecture, scratch)
        took_s = time.perf_counter() - started
        return took_s, "" if built.files else clean(built.output, drop=[scratch], limit=400)


def _print(found: Found, refused: Mapping[str, str], here: Machine) -> None:
    table = Table("headers", "fastest s", "median s", "slowest s", "compiles", caption=here.line())
    for way, seconds in found.items():
        figures = [f"{figure:.2f}" for figure in (min(seconds), median(seconds), max(seconds))]
        table.add_row(way, *figures, "no" if way in refused else "yes")
    console = Console()
    console.print(table)
    for way, why in refused.items():
        console.print(f"{way}: {why}", markup=False)


if __name__ == "__main__":
    typer.run(main)
