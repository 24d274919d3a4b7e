"""The study's commands: `run`, `judge` and `report`.

Start at `run`. Not here: what a run is (`trial`).
"""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks._options import JsonOption
from benchmarks.study import judging, running, templates
from benchmarks.study.contrasts import asked
from benchmarks.study.grids import GRIDS, LANDSCAPES
from benchmarks.study.plots import draw
from benchmarks.study.telling import put, section

SOURCES = (*LANDSCAPES, *templates.names())
app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


@app.command()
def run(
    source: Annotated[str, typer.Argument(help=f"{', '.join(SOURCES)}.")],
    out: Annotated[Path, typer.Option(help="Where runs are kept; those in it are not repeated.")],
    grid: Annotated[str, typer.Option(help=f"{', '.join(GRIDS)}.")] = "full",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each cell.")] = 24,
    budget: Annotated[int, typer.Option(min=24, help="Candidates of a whole team.")] = 96,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Play every cell of a grid with every seed."""
    if source not in SOURCES:
        raise typer.BadParameter(f"{source!r} is none of {', '.join(SOURCES)}")
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
def judge(
    pool: Annotated[str, typer.Argument(help=f"{', '.join(templates.names())}.")],
    out: Annotated[Path | None, typer.Option(help="Else the pool's own file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge each candidate of a pool once, with the real guard on this host's CPU."""
    if pool not in templates.names():
        raise typer.BadParameter(f"{pool!r} is none of {', '.join(templates.names())}")
    file = out or templates.judged_file(pool)
    done = asyncio.run(_judged(pool, file))
    told = {"pool": pool, "judged": done, "file": str(file)}
    print(json.dumps(told) if as_json else f"{done} candidates in {file}")


async def _judged(name: str, file: Path) -> int:
    said, done = Console(stderr=True), 0
    async for done, whole in judging.judge(name, templates.read(name), file):
        said.print(f"{done} of {whole} candidates")
    return done


@app.command()
def report(
    runs: Annotated[Path, typer.Argument(help="A file that `run` wrote.")],
    page: Annotated[
        Path | None, typer.Option(help="A page with a place of the file's name.")
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(help="A folder for the plots, beside the page.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer the study's questions from the runs in a file."""
    kept = list(running.read(runs))
    if not kept:
        raise typer.BadParameter(f"there is no run in {runs}")
    played = [one.run for one in kept]
    answers = asked(played)
    drawn = draw(played, answers, plots, runs.stem) if plots is not None else []
    told = section(runs.stem, kept, [f"{file.parent.name}/{file.name}" for file in drawn])
    if page is not None:
        page.write_text(put(page.read_text("utf-8"), runs.stem, told), "utf-8")
    if as_json:
        print(json.dumps({"runs": len(kept), "answers": [a.model_dump() for a in answers]}))
    elif page is None:
        print(told)


if __name__ == "__main__":
    app()
