"""Our latency against other clocks, on the same kernels and shapes: events, do_bench, CUPTI.

    python -m benchmarks.agreement [--pairs 3] [--calls 200] [--json]

Ours is what a duel of a solution against itself records. The others run the same source in this
process afterwards, with tensors that rotate over three times the L2 cache. Events and do_bench
count some of the host's launching on short kernels; CUPTI sees the kernel alone, ours a call within
a recorded block, the gap to the next one included. Needs an NVIDIA GPU: ends with 2 without one.
Start at `measure`. Not here: the other clocks (`_outside`), the kernels (`agreement.toml`).
"""

import asyncio
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table

from benchmarks._duels import against_itself, solution_of
from benchmarks._machine import Machine, machine
from benchmarks._options import JsonOption, Kind, first_device
from benchmarks._outside import Rotation, cupti, cupti_source, do_bench, events
from benchmarks._problems import read_problem, write_problem
from benchmarks._stream import Submission
from benchmarks.precision import by_workload
from examples.team.plan import SOLUTIONS
from guard.domain.problem import Problem
from guard.domain.trace import WorkloadTiming
from guard.domain.value import Value
from guard.ports import DeviceIdentity

KERNELS = Path(__file__).with_name("agreement.toml")


class Kernel(Value):
    """One source and the numbers of rows it is measured on."""

    language: str
    problem: str
    source: str
    rows: tuple[int, ...]


class Clocks(Value):
    """One kernel on one shape, microseconds a call by each clock."""

    problem: str
    workload: str
    mode: str
    """How we timed it: ``graph`` or ``host``."""
    ours_us: float
    ours_low_us: float
    """Over processes."""
    ours_high_us: float
    events_us: float
    do_bench_us: float
    cupti_us: float

    def ours(self) -> str:
        """Our figure with its range."""
        low, high = self.ours_low_us, self.ours_high_us
        return f"{self.ours_us:.2f} us ({low:.2f} to {high:.2f}), {self.mode}"

    def ratio(self, other_us: float) -> str:
        """Ours ÷ another clock's, with that clock's figure."""
        return f"{other_us:.2f} us, {self.ours_us / other_us:.3f}"


class Agreement(Value):
    """All figures of one run."""

    machine: Machine
    device: str
    cupti: str
    """``cupti-python``, or ``torch.profiler``, which asks CUPTI as well."""
    clocks: tuple[Clocks, ...]


def kernels() -> tuple[Kernel, ...]:
    """The kernels that are measured."""
    with KERNELS.open("rb") as file:
        listed = tomllib.load(file)["kernels"]
    return TypeAdapter(tuple[Kernel, ...]).validate_python(listed)


def ours_us(timings: Sequence[WorkloadTiming]) -> tuple[float, float, float]:
    """Median, lowest and highest over processes of the latency that a duel records."""
    sides = [side for each in timings for side in (each.champion_ms, each.candidate_ms)]
    latencies = [1e3 * median(side) for side in sides]
    return median(latencies), min(latencies), max(latencies)


def measure(device: DeviceIdentity, pairs: int, calls: int) -> Agreement:
    """Have every kernel timed by the referee, then by the other clocks."""
    found: list[Clocks] = []
    with tempfile.TemporaryDirectory(prefix="kernelarc-agreement-") as folder:
        read = [
            (
                kernel,
                read_problem(write_problem(Path(folder), kernel.problem, Kind.NVIDIA, kernel.rows)),
            )
            for kernel in kernels()
        ]
        # First all of ours: once this process has a context, the device is not the referee's alone.
        duels = [_duel(device, kernel, problem, pairs) for kernel, problem in read]
        for (kernel, problem), timings in zip(read, duels, strict=True):
            found += _clocks(kernel, problem, timings, calls)
    return Agreement(
        machine=machine(), device=device.name, cupti=cupti_source(), clocks=tuple(found)
    )


def _duel(
    device: DeviceIdentity, kernel: Kernel, problem: Problem, pairs: int
) -> list[list[WorkloadTiming]]:
    source = (SOLUTIONS / kernel.source).read_text("utf-8")
    handed_in = Submission(language=kernel.language, source=source, launch_plan="", options="")
    solution = solution_of(handed_in, problem)
    return by_workload(asyncio.run(against_itself(device, problem, solution, pairs, float("inf"))))


def _clocks(
    kernel: Kernel, problem: Problem, timings: Sequence[Sequence[WorkloadTiming]], calls: int
) -> list[Clocks]:
    workloads = {workload.uuid: workload for workload in problem.workloads_for(Kind.NVIDIA)}
    found = []
    for timed in timings:
        rotation = Rotation(SOLUTIONS / kernel.source, problem, workloads[timed[0].workload])
        rotation.warm_up()
        middle, low, high = ours_us(timed)
        found.append(
            Clocks(
                problem=kernel.problem,
                workload=timed[0].workload,
                mode=timed[0].mode,
                ours_us=middle,
                ours_low_us=low,
                ours_high_us=high,
                events_us=events(rotation, calls),
                do_bench_us=do_bench(rotation),
                cupti_us=cupti(rotation, calls),
            )
        )
    return found


def main(
    pairs: Annotated[int, typer.Option(min=1, help="Process pairs of each kernel.")] = 3,
    calls: Annotated[int, typer.Option(min=1, help="Calls by events and by CUPTI.")] = 200,
    as_json: JsonOption = False,
) -> None:
    """Print microseconds a call by every clock, and ours divided by each other's."""
    found = measure(first_device(Kind.NVIDIA), pairs, calls)
    if as_json:
        print(found.model_dump_json(indent=2))
    else:
        _print(found)


def _print(found: Agreement) -> None:
    console = Console(width=120)
    console.print(found.machine.line(), highlight=False)
    table = Table(
        "problem", "workload", "ours (over processes)", "events: us, ratio", "do_bench: us, ratio",
        f"{found.cupti}: us, ratio",
    )  # fmt: skip
    for each in found.clocks:
        table.add_row(
            each.problem,
            each.workload,
            each.ours(),
            each.ratio(each.events_us),
            each.ratio(each.do_bench_us),
            each.ratio(each.cupti_us),
        )
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
