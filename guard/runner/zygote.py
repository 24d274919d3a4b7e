"""The warm parent of all runners of one referee: imports much, holds nothing secret.

Executed on its own, never forked from the referee, so that no seed or answer is inherited. Each
`Spawn` makes two processes:

    zygote ── keeper (still privileged, runs no candidate code) ── runner (walled in)

The keeper waits for the runner, ends whatever it left behind, and writes how it ended to the
status pipe: when that line arrives, the whole tree is gone. Start at `main`.
"""

import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys

from pydantic import TypeAdapter

from guard import plugins, sandbox
from guard.asks import Spawn, Spawned
from guard.wire import PeerGone, parse, receive, send

SPAWN: TypeAdapter[Spawn] = TypeAdapter(Spawn)


def main() -> None:
    """Serve `Spawn` requests on the socket whose number is the first argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    sandbox.die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    warm(sys.argv[2])
    # Frozen objects are not touched by the collector, so forks keep sharing their pages.
    gc.freeze()
    while True:
        try:
            text, _, fds = receive(control, max_fds=3)
        except PeerGone:
            return
        pid = spawn(parse(SPAWN, text), fds, control)
        for fd in fds:
            os.close(fd)
        send(control, Spawned(pid=pid))


def warm(device_kind: str) -> None:
    """Import what runners on this kind of device will need, where it is installed.

    A runner whose own uid may not enter the interpreter's folder could not do so later.
    """
    languages = plugins.load("languages")
    device = plugins.load("devices")[device_kind]
    # Triton reads once whether to interpret, and torch's compiler, warmed below, imports it.
    os.environ["TRITON_INTERPRET"] = "0" if device.records else "1"
    for name in ("guard.runner.main", *device.warm):
        if importlib.util.find_spec(name.partition(".")[0]) is not None:
            importlib.import_module(name)
    for language in languages.values():
        language.warm(device_kind)


def spawn(order: Spawn, fds: list[int], control: socket.socket) -> int:
    """Fork a keeper, which forks the runner; returns the runner's process id."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(reading)
        control.close()
        keep(order, fds, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        return int(pipe.read() or b"0")


def keep(order: Spawn, fds: list[int], pid_pipe: int) -> None:
    """The keeper's life; never returns."""
    sock, status, output = fds
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sandbox.die_with_parent()
    sandbox.adopt_orphans()
    walls = sandbox.Walls()
    sandbox.namespaces(walls)
    runner = os.fork()
    if runner == 0:
        os.close(pid_pipe)
        os.close(status)
        live(order, walls, sock, output)
    os.close(sock)
    os.close(output)
    os.write(pid_pipe, str(runner).encode())
    os.close(pid_pipe)
    _, code = os.waitpid(runner, 0)
    orphans = end_descendants()
    ended = {"exit": os.waitstatus_to_exitcode(code), "orphans": orphans}
    os.write(status, json.dumps(ended).encode())
    os._exit(0)


def end_descendants() -> int:
    """Kill and reap until this process has no child left; returns how many there were."""
    ended = 0
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return ended
        ended += 1


def live(order: Spawn, walls: sandbox.Walls, sock: int, output: int) -> None:
    """The runner's life; never returns."""
    from guard.runner import main as runner

    sandbox.die_with_parent()
    # Before its rights are gone: with them, it is set for good.
    sandbox.first_to_end(walls)
    os.setsid()
    walls.held.append("session")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # What a candidate prints must be there even if it is killed right after.
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    os.dup2(sock, 3)
    os.closerange(4, 4096)
    # The first process of a namespace gets only signals that it handles: without this, abort()
    # would end as a segmentation fault. The handler is libc's _exit: the exit code is the signal.
    libc = ctypes.CDLL(None)
    libc.signal(int(signal.SIGABRT), ctypes.cast(libc._exit, ctypes.c_void_p))
    runner.begin(order, walls, socket.socket(fileno=3))
    os._exit(0)


def _children() -> list[int]:
    me = os.getpid()
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and _parent(int(entry)) == me:
            found.append(int(entry))
    return found


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


if __name__ == "__main__":
    main()
