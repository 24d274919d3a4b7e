"""What the walls add to a candidate: starting a runner with all of them against starting one bare.

    python -m benchmarks.sandbox_cost [--rounds 100] [--device cpu]

Both kinds are forked in turn from one warm process, by the zygote's own function; for a bare one
every wall is left out. Timed until the runner says that it is ready, and from its end until its
process tree is gone. Start at `main`.
"""

import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from guard import landlock, sandbox, seccomp
from guard.asks import Spawn
from guard.domain.decision import Policy
from guard.referee.spawning import FIRST_UID
from guard.runner import zygote
from guard.wire import receive

WALLS: Mapping[str, tuple[Any, str]] = {
    "namespaces": (sandbox, "namespaces"),
    "mounts": (sandbox, "mounts"),
    "limits": (sandbox, "limits"),
    "identity": (sandbox, "identity"),
    "landlock": (landlock, "restrict"),
    "seccomp": (seccomp, "install"),
}


def main(
    rounds: Annotated[int, typer.Option(help="Runners of each kind.")] = 100,
    device: Annotated[str, typer.Option(help="cpu or nvidia: what is imported first.")] = "cpu",
) -> None:
    """Print both distributions, and their difference."""
    zygote.warm(device)
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o711)
        kinds = {"bare": (), "all walls": tuple(WALLS)}
        found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
        for turn in range(rounds + 1):
            for kind, walls in kinds.items():
                measured = _one(walls, scratch, FIRST_UID + turn)
                # The first of each kind warms the kernel's caches.
                found[kind] += [measured] if turn else []
    _print(found)


def _one(walls: Sequence[str], scratch: str, uid: int) -> tuple[float, float]:
    """Milliseconds until one runner is ready, and from then until it is gone."""
    policy = Policy()
    order = Spawn(
        scratch=scratch,
        uid=uid,
        memory_bytes=policy.memory_bytes,
        file_bytes=policy.file_bytes,
        processes=policy.processes,
        cpus=(),
        readable=(),
    )
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    pid_reading, pid_writing = os.pipe()
    output = os.memfd_create("output", os.MFD_CLOEXEC)
    started = time.perf_counter()
    keeper = os.fork()
    if keeper == 0:
        # A runner that inherits this end would never see it closed.
        ours.close()
        _without(set(WALLS) - set(walls))
        zygote.keep(order, [theirs.fileno(), writing, output], pid_writing)
    theirs.close()
    for fd in (writing, pid_writing, output):
        os.close(fd)
    receive(ours)
    ready = time.perf_counter()
    ours.close()
    # Written when nothing of the tree is left.
    os.read(reading, 200)
    gone = time.perf_counter()
    os.waitpid(keeper, 0)
    for fd in (reading, pid_reading):
        os.close(fd)
    shutil.rmtree(f"{scratch}/{uid}", ignore_errors=True)
    return (ready - started) * 1e3, (gone - ready) * 1e3


def _without(walls: Iterable[str]) -> None:
    """Leave these walls out, in this process and those that it forks."""
    for name in walls:
        module, function = WALLS[name]
        setattr(module, function, lambda *_, **__: None)


def _print(found: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    table = Table("runner", "until ready: median", "p95", "worst", "until gone: median", "p95")
    for kind, measured in found.items():
        ready, gone = (sorted(column) for column in zip(*measured, strict=True))
        late = int(len(ready) * 0.95)
        figures = (median(ready), ready[late], ready[-1], median(gone), gone[late])
        table.add_row(kind, *(f"{figure:.1f} ms" for figure in figures))
    Console(width=100).print(table)
    bare, walled = ([a + b for a, b in found[kind]] for kind in ("bare", "all walls"))
    added = sorted(w - b for w, b in zip(walled, bare, strict=True))
    print(
        f"The walls add {median(added):.1f} ms a candidate (median of pairs; "
        f"p95 {added[int(len(added) * 0.95)]:.1f} ms)."
    )


if __name__ == "__main__":
    typer.run(main)
