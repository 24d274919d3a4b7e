"""The study's commands: `run` and `report`.

Start at `run`. Not here: what a run is (`trial`).
"""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks._options import JsonOption
from benchmarks.study import running
from benchmarks.study.contrasts import answers_table, asked, cells_table
from benchmarks.study.grids import GRIDS

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


@app.command()
def run(
    source: Annotated[str, typer.Argument(help="wide, narrow, crowded, or a judged pool's file.")],
    out: Annotated[Path, typer.Option(help="Where runs are kept; those in it are not repeated.")],
    grid: Annotated[str, typer.Option(help=f"{', '.join(GRIDS)}.")] = "full",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each cell.")] = 24,
    budget: Annotated[int, typer.Option(min=24, help="Candidates of a whole team.")] = 96,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Play every cell of a grid with every seed."""
    if grid not in GRIDS:
        raise typer.BadParameter(f"{grid!r} is none of {', '.join(GRIDS)}")
    said = Console(stderr=True)
    played = running.play_all(source, GRIDS[grid](), range(seeds), budget, out, workers)
    last = 0
    for done, whole in played:
        if done == whole or done * 20 // whole > last * 20 // whole:
            said.print(f"{done} of {whole} runs")
        last = done
    told = {"source": source, "grid": grid, "runs": last, "file": str(out)}
    print(json.dumps(told) if as_json else f"{last} runs in {out}")


@app.command()
def report(
    runs: Annotated[Path, typer.Argument(help="A file that `run` wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Answer the study's questions from the runs in a file."""
    kept = [one.run for one in running.read(runs)]
    if not kept:
        raise typer.BadParameter(f"there is no run in {runs}")
    answers = asked(kept)
    if as_json:
        print(json.dumps({"runs": len(kept), "answers": [a.model_dump() for a in answers]}))
    else:
        print("\n".join([*answers_table(answers), "", *cells_table(kept)]))


if __name__ == "__main__":
    app()
