"""The ceilings of a device, and how fast each workload of some problems could be there.

    python -m benchmarks.bound [PROBLEM ...] [--device nvidia] [--fresh] [--json]

Ceilings come from the cache where they were measured before; `--fresh` measures anew. Start at
`measure`. Not here: how they are measured (`guard.referee.ceilings`), the arithmetic
(`guard.bound`).
"""

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks._machine import Machine, machine
from benchmarks._options import DeviceOption, JsonOption, Kind, first_device, usual_kind
from benchmarks._problems import read_problem
from guard import plugins
from guard.domain.bound import Bound, Ceilings
from guard.domain.value import Value
from guard.ports import DeviceIdentity
from guard.referee.ceilings import ceilings, workload_bounds
from server.settings import PACKAGED_PROBLEMS


class Bounds(Value):
    """All figures of one run."""

    machine: Machine
    device: str
    ceilings: Ceilings
    bounds: dict[str, dict[str, Bound]]
    """By problem and workload."""


def measure(problems: list[Path], kind: Kind, *, fresh: bool) -> Bounds:
    """Measure or look up the ceilings of the first such device, then bound every workload."""
    identity = first_device(kind)
    best = _ceilings(kind, identity, fresh=fresh)
    read = [read_problem(folder) for folder in problems]
    return Bounds(
        machine=machine(),
        device=identity.name,
        ceilings=best,
        bounds={problem.name: workload_bounds(problem, kind, best) for problem in read},
    )


def _ceilings(kind: Kind, identity: DeviceIdentity, *, fresh: bool) -> Ceilings:
    device = plugins.load("devices")[kind]
    if not fresh:
        return ceilings(device, identity)
    with tempfile.TemporaryDirectory() as folder:
        return ceilings(device, identity, Path(folder))


def main(
    problem: Annotated[list[Path] | None, typer.Argument(help="Problem folders.")] = None,
    device: DeviceOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure the ceilings anew.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the ceilings, then one row per workload."""
    problems = problem or sorted(path for path in PACKAGED_PROBLEMS.iterdir() if path.is_dir())
    found = measure(problems, device or usual_kind(), fresh=fresh)
    if as_json:
        print(found.model_dump_json(indent=2))
        return
    console = Console(width=100)
    print(found.machine.line())
    console.print(_rates(found.ceilings))
    table = Table("problem", "workload", "bound", "binds", "limit", "in blocks of")
    for name, bounds in found.bounds.items():
        for uuid, one in bounds.items():
            limit = (f"{one.limit_ms * 1e3:.4g} us", f"{one.limit_calls} calls")
            shown = limit if one.limit_ms else ("none", "")
            table.add_row(name, uuid, f"{one.bound_ms * 1e3:.4g} us", one.resource, *shown)
    console.print(table)


def _rates(best: Ceilings) -> Table:
    table = Table("ceiling", "at best")
    for pattern, rate in best.bytes_per_s.items():
        table.add_row(pattern, f"{rate / 1e9:.4g} GB/s")
    for dtype, rate in best.matrix_flops_per_s.items():
        table.add_row(f"matrix {dtype}", f"{rate / 1e12:.4g} TFLOP/s")
    for name, found in (("fp32", best.simple_ops_per_s), ("special", best.special_ops_per_s)):
        if found is not None:
            table.add_row(name, f"{found / 1e12:.4g} Tera-operations/s")
    for name, time_ms in (("empty launch", best.launch_ms), ("graph node", best.node_ms)):
        if time_ms is not None:
            table.add_row(name, f"{time_ms * 1e3:.4g} us")
    table.add_row("last cache", f"{best.cache_bytes / 2**20:.4g} MiB")
    return table


if __name__ == "__main__":
    typer.run(main)
