"""A referee among others: judges hostile candidates beside processes and secrets that it planted.

    python -m tests.cheats.among_others judged|bare FOLDER NAME...

Prints one JSON object: the walls, each candidate's verdict, and what became of the neighbours.
`bare` is the control: no judge, no walls. Run on weaker hosts by `tests.guard.hosts`. Start at
`main`.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import torch

from guard import plugins
from guard.domain.solution import Solution
from guard.referee.court import Court
from guard.referee.verification import verify
from tests.guard.trials import POLICY, RETURNING, problem, solution

# torch.compile and its C++ compiler, from a cold disk and on a busy host, take their time.
PATIENT = POLICY.model_copy(update={"first_call_limit_s": 180.0})
ODD = 0x9E3779B97F4A7C15
"""Odd, so that no two answers are told alike."""
MARK = 0x6B61
RETURNS = "honest, returning"


def source_of(name: str) -> str:
    """The text of a candidate of the corpus for the CPU."""
    (path,) = Path(__file__).parent.glob(f"cpu/*/{name}")
    return path.read_text()


def main(folder: Path, names: list[str]) -> None:
    """Judge every candidate beside the planted neighbours, and tell."""
    device = plugins.load("devices")["cpu"]
    cores = sorted(os.sched_getaffinity(0))
    court = Court(device, device.found()[0], pin_cpu=cores[-1] if len(cores) > 1 else -1)
    torch.set_num_threads(1)
    with ExitStack() as stack:
        stack.callback(court.close)
        neighbour = stack.enter_context(court.runner(POLICY))
        answer, addresses = stack.enter_context(planted(folder))
        service = stack.enter_context(server())
        above = psutil.Process(neighbour.pid).parents()[:2]
        pids = [neighbour.pid, *(p.pid for p in above), os.getpid(), service]
        told = what_is_told(folder, pids, answer, addresses)
        before = states(pids)
        verdicts = {name: judged(court, candidate(name, told)) for name in names}
        print(
            json.dumps(
                {
                    "grade": neighbour.grade,
                    "held": neighbour.held,
                    "fell": neighbour.fell,
                    "verdicts": verdicts,
                    "before": before,
                    "after": states(pids),
                    "left": left_behind(),
                }
            )
        )


def bare(folder: Path, names: list[str]) -> None:
    """Run candidates where no wall stands, beside one planted process: whether each succeeds."""
    with planted(folder) as (answer, addresses), server() as victim:
        (folder / "told.py").write_text(what_is_told(folder, [victim], answer, addresses))
        print(json.dumps({name: _succeeds(folder, name) for name in names}))


def _succeeds(folder: Path, name: str) -> bool:
    ask = "from candidate import *; print(bool(globals().get('leaked') or globals().get('found')))"
    (folder / "candidate.py").write_text(source_of(f"{name}.py"))
    ran = subprocess.run(
        [sys.executable, "-B", "-c", ask], cwd=folder, capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()[-1] == "True"


def what_is_told(folder: Path, pids: list[int], answer: int, addresses: list[str]) -> str:
    """The module that hostile candidates import: whom to attack, and what to look for."""
    folders = [str(folder), "/dev/shm", "/run", "/var/tmp"]
    return (
        f"PIDS = {pids}\nADDRESSES = {addresses}\nMARK = {MARK}\nFOLDERS = {folders}\n"
        f"MASK = {ODD}\nANSWER = {answer * ODD % 2**64}\n"
    )


def candidate(name: str, told: str) -> Solution:
    """The solution of this name; it may import what it is told."""
    if name == RETURNS:
        return solution(RETURNING, returns=True)
    return solution(source_of(f"{name}.py"), told=told)


def judged(court: Court, hostile: Solution) -> list[str]:
    """Status and log of its one workload."""
    found = verify(court, problem(), hostile, PATIENT)
    if not found.judgements:
        return ["", found.compiled.messages]
    return [found.judgements[0].evaluation.status, found.judgements[0].evaluation.log]


def canary() -> str:
    """A secret in the form that candidates look for."""
    return f"kernelarc-canary-{secrets.token_hex(16)}"


@contextmanager
def planted(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """Secrets in this process and its files, and services that anyone of the host may ask."""
    token = canary()
    answer = torch.randint(2**40, 2**62, (1024,))
    answer[:] = answer[0].item()
    database = folder / "database.db"
    database.write_text(canary())
    database.chmod(0o600)
    open_file = os.memfd_create("open", 0)
    os.set_inheritable(open_file, True)
    os.write(open_file, canary().encode())
    os.environ["KERNELARC_TOKEN"] = token
    with socket.socket(socket.AF_UNIX) as plain, socket.socket(socket.AF_UNIX) as abstract:
        addresses = [f"{folder}/bus", f"\0{canary()[-32:]}"]
        for listener, address in zip((plain, abstract), addresses, strict=True):
            listener.bind(address)
            listener.listen()
        os.chmod(addresses[0], 0o777)
        yield int(answer[0]), addresses
    os.close(open_file)
    # Until here all of it lay in this process.
    assert token in os.environ["KERNELARC_TOKEN"]


@contextmanager
def server() -> Iterator[int]:
    """A process that holds a token in its memory and its environment, as a server does."""
    held = "import os, sys; token = os.environ['KERNELARC_TOKEN'] + ''; sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", held],
        stdin=subprocess.PIPE,
        env={**os.environ, "KERNELARC_TOKEN": canary()},
    ) as process:
        try:
            yield process.pid
        finally:
            process.communicate()


def states(pids: list[int]) -> list[Any]:
    """What others could have changed of these processes."""
    return [
        [
            "stopped" if psutil.Process(pid).status() == psutil.STATUS_STOPPED else "runs",
            os.getpriority(os.PRIO_PROCESS, pid),
            os.sched_getscheduler(pid),
            sorted(os.sched_getaffinity(pid)),
            Path(f"/proc/{pid}/oom_score_adj").read_text(),
            limits_of(pid),
        ]
        for pid in pids
    ]


def limits_of(pid: int) -> list[str]:
    """The limits that are aimed at, as the kernel prints them: root may not read them else."""
    wanted = ("Max cpu time", "Max open files")
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    return [line for line in lines if line.startswith(wanted)]


def left_behind() -> list[str]:
    """What candidates left in places that outlive them."""
    files = [f"{folder}/{MARK}" for folder in ("/dev/shm", "/tmp", "/var/tmp", "/run/lock")]
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return [f for f in files if os.path.exists(f)] + [
        segment for segment in segments if segment.split()[0] == str(MARK)
    ]


if __name__ == "__main__":
    run = bare if sys.argv[1] == "bare" else main
    run(Path(sys.argv[2]), sys.argv[3:])
