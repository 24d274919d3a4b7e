"""The study's plots, as SVG whose bytes depend on the runs alone.

    runs -> teams.svg (speedup by team size and memory)   curves.svg (speedup by candidates)
    answers -> ratios.svg

Start at `draw`. Imports matplotlib, of the extra `benchmarks`, only when something is drawn.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.study.contrasts import Answered
from benchmarks.study.figures import mean
from benchmarks.study.trial import POINTS, Cell, Run
from guard.domain.decision import Retention

COLOURS = {
    Retention.NONE: "#8c8c8c",
    Retention.PRIVATE: "#c1272d",
    Retention.BOUNDED: "#0071bc",
    Retention.UNBOUNDED: "#2e8b57",
}
APART = 0.06
"""How far points of one team size are moved apart, as a share of its place."""


def draw(runs: Sequence[Run], answers: Sequence[Answered], folder: Path, stem: str) -> list[Path]:
    """Draw all plots into the folder; returns their files."""
    import matplotlib

    matplotlib.use("svg")
    # Without a salt ids in the file are random, and so would be every commit of it.
    matplotlib.rcParams.update({"svg.hashsalt": stem, "svg.fonttype": "none", "font.size": 9})
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {"teams": _teams(runs), "curves": _curves(runs), "ratios": _ratios(answers)}
    files = []
    for name, figure in drawn.items():
        file = folder / f"{stem}-{name}.svg"
        figure.savefig(file, metadata={"Date": None}, bbox_inches="tight")
        files.append(file)
    return files


def _teams(runs: Sequence[Run]) -> Any:
    from matplotlib.figure import Figure

    kinds = sorted({(r.cell.assigned, r.cell.forced) for r in runs})
    figure = Figure(figsize=(3.2 * len(kinds), 3.2), layout="constrained")
    axes = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    sizes = sorted({r.cell.agents for r in runs})
    for axis, (assigned, forced) in zip(axes, kinds, strict=True):
        for number, memory in enumerate(Retention):
            points = []
            for place, agents in enumerate(sizes):
                cell = Cell(agents=agents, memory=memory, assigned=assigned, forced=forced)
                chosen = [r for r in runs if _same(r.cell, cell)]
                if chosen:
                    points.append((place + (number - 1.5) * APART, mean(chosen).factor()))
            if points:
                xs, found = zip(*points, strict=True)
                low = [f.value - f.low for f in found]
                high = [f.high - f.value for f in found]
                values = [f.value for f in found]
                style = {"color": COLOURS[memory], "label": memory.value, "capsize": 2}
                axis.errorbar(xs, values, yerr=[low, high], marker="o", ms=3, lw=1, **style)
        axis.set_title(
            f"{'assigned' if assigned else 'free'}, {'forced' if forced else 'no'} change"
        )
        axis.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        axis.set_xlabel("agents")
    axes[0].set_ylabel("speedup at the end (95 % interval)")
    axes[0].legend(frameon=False, fontsize=7)
    return figure


def _curves(runs: Sequence[Run]) -> Any:
    from matplotlib.figure import Figure

    sizes = sorted({r.cell.agents for r in runs})
    figure = Figure(figsize=(2.6 * len(sizes), 2.8), layout="constrained")
    axes = figure.subplots(1, len(sizes), sharey=True, squeeze=False)[0]
    for axis, agents in zip(axes, sizes, strict=True):
        for memory in Retention:
            for assigned, style in ((False, "--"), (True, "-")):
                chosen = [
                    r
                    for r in runs
                    if (r.cell.agents, r.cell.memory, r.cell.assigned) == (agents, memory, assigned)
                ]
                if not chosen:
                    continue
                xs = [chosen[0].budget * part / POINTS for part in range(1, POINTS + 1)]
                ys = [
                    math.exp(sum(r.curve[at] for r in chosen) / len(chosen)) for at in range(POINTS)
                ]
                axis.plot(xs, ys, style, color=COLOURS[memory], lw=1, label=memory.value)
        axis.set_title(f"{agents} agent{'s' * (agents > 1)}")
        axis.set_xlabel("candidates of the team")
    axes[0].set_ylabel("speedup (dashed: free)")
    return figure


def _ratios(answers: Sequence[Answered]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 0.22 * len(answers) + 0.6), layout="constrained")
    axis = figure.subplots()
    for place, answer in enumerate(reversed(answers)):
        found = answer.ratio
        colour = "#0071bc" if found.excludes_one else "#8c8c8c"
        axis.plot([found.low, found.high], [place, place], color=colour, lw=1.5)
        axis.plot([found.value], [place], "o", ms=3.5, color=colour)
    axis.axvline(1.0, color="black", lw=0.6)
    axis.set_yticks(range(len(answers)), [a.name for a in reversed(answers)], fontsize=7)
    axis.set_xlabel("ratio of speedups (95 % bootstrap interval over seeds)")
    return figure


def _same(cell: Cell, other: Cell) -> bool:
    return cell.model_copy(update={"shows_champion": True}) == other
