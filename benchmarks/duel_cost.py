"""What a duel of one solution against another says, and what it costs: noise, fixed costs, phases.

    python -m benchmarks.duel_cost examples/problems/softmax_rows PATH [--against PATH] [--pairs 2]

Without `--against` the solution fights itself (A/A): every log-ratio is noise then. Times nothing
by itself: all figures are those of the referee's clock. Start at `main`.
"""

import cProfile
import math
import pstats
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from guard import plugins
from guard.domain.decision import Policy
from guard.domain.problem import Problem
from guard.domain.solution import Solution
from guard.referee import agreement, audit, drawing, duel, stopwatch, timing
from guard.referee.blocks import Blocks, fixed_ms, latencies_ms
from guard.referee.court import Court
from guard.referee.reference import Reference
from guard.referee.sides import Side
from guard.referee.slots import Slots

PHASES: dict[str, Callable[..., Any]] = {
    "loading one side": duel._load,
    "first calls, checked": timing._call_first,
    "binding and recording": timing._bound,
    "rehearsing": timing._rehearsed_ms,
    "blocks, timed or not": stopwatch.block,
    "audits": audit.audit,
    "drawing inputs": Slots.refresh,
    "poisoning": Side.poison,
    "looking for poison": Side.unwritten,
    "what is right": Side.right,
    "comparing in full": Side.check,
    "inputs unchanged": drawing.equal_inputs,
    "comparing both sides": agreement.settle,
    "other processes": Side.check_alone,
}
"""Parts of a duel by the function that does it; some lie inside others."""
FORMAT = "sol_execbench"


def main(
    problem: Annotated[Path, typer.Argument(help="A problem's folder.")],
    solution: Annotated[Path, typer.Argument(help="The solution, A.")],
    against: Annotated[Path | None, typer.Option(help="B; A itself when left out.")] = None,
    pairs: Annotated[int, typer.Option(help="Process pairs.")] = 2,
    audited: Annotated[bool, typer.Option(help="Audit every workload too.")] = False,
    device: Annotated[str, typer.Option(help="cpu or nvidia.")] = "cpu",
) -> None:
    """Print one row per workload and pair, then where the time went."""
    formats = plugins.load("formats")[FORMAT]
    task = formats.read(problem)
    a, b = (formats.solution(path, task) for path in (solution, against or solution))
    kind = plugins.load("devices")[device]
    court = Court(kind, kind.found()[0], pin_cpu=-1)
    profile = cProfile.Profile()
    table = Table(
        "pair", "workload", "calls", "A us", "B us", "A/B", "turns, sd %", "fixed A, B ms"
    )
    try:
        for pair in range(pairs):
            profile.enable()
            rows = _pair(court, task, (a, b), Policy(), audited=audited)
            profile.disable()
            for row in rows:
                table.add_row(str(pair + 1), *row)
    finally:
        court.close()
    console = Console(width=max(100, Console().width))
    console.print(table)
    console.print(_phases(profile, pairs))


def _pair(
    court: Court,
    task: Problem,
    solutions: Sequence[Solution],
    policy: Policy,
    *,
    audited: bool,
) -> list[tuple[str, ...]]:
    reference = Reference(task.definition)
    rows, overlaps = [], court.device.records
    with duel.sides(court, solutions, task, policy) as both:
        for workload in task.workloads_for(court.identity.kind):
            times = timing.time_workload(
                court, both, task, workload, reference, policy, audited=audited
            )
            plan = times.plan
            calls = f"{len(plan.long)} {plan.mode}"
            rows.append((workload.uuid, calls, *_figures(times.plain, overlaps=overlaps)))
            if audited:
                rows.append((workload.uuid, "audit", *_figures(times.audits, overlaps=overlaps)))
        for side in both:
            court.keep_warm(side.solution, side.runner, policy)
    return rows


def _figures(both: Sequence[Sequence[Blocks]], *, overlaps: bool) -> tuple[str, ...]:
    a, b = both
    # As in a duel in which A is the champion.
    ms_a, ms_b = latencies_ms(a, a), latencies_ms(b, a, overlaps=overlaps)
    ratios = [math.log(x / y) for x, y in zip(ms_a, ms_b, strict=True) if x > 0 and y > 0]
    middle = median(ratios)
    # The usual estimate of a standard deviation from the median absolute deviation.
    spread = 1.4826 * median(abs(x - middle) for x in ratios)
    return (
        f"{median(ms_a) * 1e3:.2f}",
        f"{median(ms_b) * 1e3:.2f}",
        f"{math.exp(middle):.4f}",
        f"{spread:.2%}",
        f"{fixed_ms(a):.3f}, {fixed_ms(b):.3f}",
    )


def _phases(profile: cProfile.Profile, pairs: int) -> Table:
    stats = pstats.Stats(profile)
    found = vars(stats)["stats"]
    table = Table("phase", "calls a pair", "seconds a pair")
    for name, function in PHASES.items():
        code = function.__code__
        _, calls, _, seconds, _ = found.get(
            (code.co_filename, code.co_firstlineno, code.co_name), (0, 0, 0.0, 0.0, {})
        )
        table.add_row(name, f"{calls / pairs:.0f}", f"{seconds / pairs:.2f}")
    in_all_s = vars(stats)["total_tt"]
    table.add_row("in all", "1", f"{in_all_s / pairs:.2f}")
    return table


if __name__ == "__main__":
    typer.run(main)
