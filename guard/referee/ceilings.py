"""What this device reaches at best, measured once and kept: bandwidth, arithmetic, latency.

    device -> Ceilings, from a file in the user's cache folder where they were measured before

A figure is the best of several repeats, since a ceiling is what the device can do. Files are named
by the device, its driver, torch, and the way of measuring; where none can be written, the next
baseline measures again. Start at `ceilings`. Not here: the measurements (`ceilings_cpu`,
`ceilings_nvidia`), what follows from them (`guard.bound`).
"""

import contextlib
import hashlib
import json
import os
from pathlib import Path

import torch
from pydantic import ValidationError

from guard.bound import bound
from guard.domain.bound import Bound, Ceilings
from guard.domain.problem import Problem
from guard.ports import Device, DeviceIdentity
from guard.referee import ceilings_cpu, ceilings_nvidia
from guard.referee.court import Court
from guard.referee.reference import load_reference
from guard.referee.work import count

MEASURING = ("ceilings.cu", "ceilings_cpu.py", "ceilings_nvidia.py")
NAME_DIGITS = 16


def bounds(court: Court, problem: Problem) -> dict[str, Bound]:
    """The bound of every workload on this device, by uuid; none where nothing takes time."""
    court.step(0, 1, "measuring what the device can do")
    best = ceilings(court.device, court.identity)
    return workload_bounds(problem, court.identity.kind, best)


def workload_bounds(problem: Problem, kind: str, best: Ceilings) -> dict[str, Bound]:
    """The bounds of the workloads for this kind of device, at these ceilings."""
    reference = load_reference(problem.definition)
    found = {w.uuid: bound(count(reference, w), best) for w in problem.workloads_for(kind)}
    return {uuid: known for uuid, known in found.items() if known is not None}


def ceilings(device: Device, identity: DeviceIdentity, folder: Path | None = None) -> Ceilings:
    """The ceilings of this device; the caller makes sure that nothing else runs on it."""
    known = _identified(identity)
    folder = folder or _cache_folder()
    name = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:NAME_DIGITS]
    path = folder / f"{name}.json"
    with contextlib.suppress(OSError, ValidationError):
        kept = Ceilings.model_validate_json(path.read_text())
        if kept.identity == known:
            return kept
    measure = ceilings_nvidia.measured if device.records else ceilings_cpu.measured
    found = measure(known)
    with contextlib.suppress(OSError):
        _keep(path, found)
    return found


def _identified(identity: DeviceIdentity) -> dict[str, str]:
    """What the figures hold for."""
    here = Path(__file__).parent
    method = b"".join((here / name).read_bytes() for name in MEASURING)
    return {
        **identity.facts,
        "kind": identity.kind,
        "hardware": identity.hardware,
        "torch": str(torch.__version__),
        "method": hashlib.sha256(method).hexdigest()[:NAME_DIGITS],
    }


def _cache_folder() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(root) / "kernelarc" / "ceilings"


def _keep(path: Path, found: Ceilings) -> None:
    """Write the whole file or none: two referees may measure equal devices at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(found.model_dump_json(indent=2))
    fresh.replace(path)
