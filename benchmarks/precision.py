"""How much of a duel's figure is noise: a candidate against itself, for kernels of several lengths.

    python -m benchmarks.precision [--device nvidia] [--pairs 20] [--seconds 300] [--json]

Every log-ratio is an error here, since both sides are the same. The independent unit is a pair of
fresh processes; in each, all lengths are timed as the workloads of one problem. Start at `measure`.
Not here: the duels (`_duels`).
"""

import asyncio
import math
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._duels import against_itself, solution_of
from benchmarks._machine import Machine, machine
from benchmarks._options import (
    USUAL,
    DeviceOption,
    JsonOption,
    Kind,
    LanguageOption,
    first_device,
    usual_kind,
)
from benchmarks._problems import read_problem, write_problem
from benchmarks._stream import NONCES, Outcome, submission, templates
from guard.benchmark import turns
from guard.domain.trace import ProcessPair, WorkloadTiming
from guard.domain.value import Value

ROWS = {Kind.CPU: (320,), Kind.NVIDIA: (256, 6144, 24576)}
"""Near 1 ms of one thread; near 5, 50 and 200 us of an H200. What they take is measured."""


class Errors(Value):
    """The log-ratios of one kernel against itself, one per process pair."""

    workload: str
    mode: str
    """``graph`` or ``host``: how its calls were timed."""
    calls: int
    """In a long block, at the median."""
    latency_us: float
    pairs: int
    sd: float | None
    """Standard deviation over pairs, log units; None for a single pair."""
    worst: float
    """The largest distance from zero."""
    mean: float
    mean_error: float | None
    """Standard error of the mean: a mean many times further from zero is a bias."""


class Precision(Value):
    """All figures of one run."""

    machine: Machine
    device: str
    language: str
    problem: str
    errors: tuple[Errors, ...]


def errors(timings: Sequence[WorkloadTiming]) -> Errors:
    """What the timings of one workload, one per process pair, say of the noise."""
    ratios = [median(turns(timing)) for timing in timings]
    sd = stdev(ratios) if len(ratios) > 1 else None
    latencies_ms = [median((*each.champion_ms, *each.candidate_ms)) for each in timings]
    return Errors(
        workload=timings[0].workload,
        mode="/".join(sorted({timing.mode for timing in timings})),
        calls=round(median(timing.calls for timing in timings)),
        latency_us=median(latencies_ms) * 1e3,
        pairs=len(ratios),
        sd=sd,
        worst=max(abs(ratio) for ratio in ratios),
        mean=fmean(ratios),
        mean_error=None if sd is None else sd / math.sqrt(len(ratios)),
    )


def by_workload(pairs: Sequence[ProcessPair]) -> list[list[WorkloadTiming]]:
    """The timings of each workload, in the order of the first pair."""
    timings = [timing for pair in pairs for timing in pair.workloads]
    names = dict.fromkeys(timing.workload for timing in timings)
    return [[timing for timing in timings if timing.workload == name] for name in names]


def measure(
    kind: Kind, language: str, rows: Sequence[int], pairs: int, seconds: float
) -> Precision:
    """Time it on the first device of this kind."""
    device = first_device(kind)
    template = templates()[language]
    with tempfile.TemporaryDirectory(prefix="kernelarc-precision-") as folder:
        problem = read_problem(write_problem(Path(folder), template.problem, kind, rows))
        handed_in = submission(template, Outcome.CORRECT, random.randrange(NONCES))
        solution = solution_of(handed_in, problem)
        found = asyncio.run(against_itself(device, problem, solution, pairs, seconds))
    return Precision(
        machine=machine(),
        device=device.name,
        language=language,
        problem=template.problem,
        errors=tuple(errors(timings) for timings in by_workload(found)),
    )


def main(
    device: DeviceOption = None,
    language: LanguageOption = "",
    rows: Annotated[
        list[int] | None, typer.Option(help="Rows of a kernel; may be given several times.")
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Process pairs.")] = 20,
    seconds: Annotated[float, typer.Option(help="Begin no further pair after so long.")] = 300,
    as_json: JsonOption = False,
) -> None:
    """Print the spread of a candidate's log-ratio against itself, per length of kernel."""
    kind = device or usual_kind()
    found = measure(kind, language or USUAL[kind], rows or ROWS[kind], pairs, seconds)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)


def _print(found: Precision) -> None:
    console = Console(width=100)
    console.print(found.machine.line(), highlight=False)
    console.print(f"{found.problem} in {found.language} on {found.device}, against itself")
    table = Table("workload", "one call", "calls", "pairs", "sd", "worst", "mean ± its error")
    for each in found.errors:
        sd = "-" if each.sd is None else f"{each.sd:.3%}"
        error = "-" if each.mean_error is None else f"{each.mean_error:.3%}"
        table.add_row(
            each.workload,
            f"{each.latency_us:.2f} us",
            f"{each.calls} {each.mode}",
            str(each.pairs),
            sd,
            f"{each.worst:.3%}",
            f"{each.mean:+.3%} ± {error}",
        )
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
