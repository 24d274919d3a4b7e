"""The seccomp wall: system calls that no kernel needs and that reach beyond the runner, refused.

A deny-list, because GPU drivers, compilers and libraries make many calls that nobody lists. Refused
calls fail with EPERM, as they may in any container, so that honest programs fall back.

    refused calls, rules on arguments -> `program` (classic BPF) -> `install`

The filter sees numbers, not what pointers point at, and cannot tell a thread's id from another
process's. So where the kernel itself keeps the runner from other processes (own uid or pid
namespace), calls on any id pass; elsewhere (`alone`) only on 0 and the runner's own id: a thread
pinned by its id from outside, or a signal to an own child, is refused there too.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Sequence

from guard.libc import tried
from guard.sandbox import Walls
from guard.system_calls import (
    BETWEEN_PROCESSES,
    KILLERS,
    MACHINES,
    ON_OTHERS,
    REFUSED,
    SIGNALS,
    UNCOUNTED,
    number,
)

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
ALLOW, KILL_PROCESS, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
X32_BIT = 0x40000000
# Offsets in the kernel's `struct seccomp_data`; both machines are little-endian.
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
# Every CLONE_NEW flag of clone: namespaces for mounts, cgroups, names, IPC, users, ids, network.
NAMESPACES = 0x7E020000
AF_UNIX, SOCK_DGRAM, SOCK_TYPES = 1, 2, 0xF
PR_SET_PDEATHSIG = 1
PRIO_PROCESS = 0
F_SETOWN, F_SETOWN_EX = 8, 15
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902

Step = tuple[int, int, int, int]
"""One instruction: operation, steps to skip if true, if false, operand."""


def install(walls: Walls, *, limited: bool = False) -> None:
    """Filter this process and all its descendants for good; needs `no_new_privs`.

    `limited`: its memory has a limit, so none may be had that the limit does not count.
    """
    machine = platform.machine()
    if machine not in MACHINES:
        walls.why["seccomp"] = f"no filter is written for {machine}"
        return
    steps = program(
        machine,
        own_id=None if walls.apart else os.getpid(),
        signals=walls.apart or "signals" in walls.held,
        queues="ipc" in walls.held,
        limited=limited,
    )
    walls.attempt("seccomp", put_up(steps))


def put_up(steps: Sequence[Step]) -> OSError | None:
    """Have the kernel carry out this filter for good; the error that stopped it, or none."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filters = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
    return tried("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filters, 0, 0)


def program(
    machine: str,
    *,
    own_id: int | None = None,
    signals: bool = True,
    queues: bool = True,
    limited: bool = False,
) -> list[Step]:
    """The filter for one machine.

    `own_id`: the only process that calls may name, none where the kernel checks it itself.
    `signals`: whether the kernel keeps signals in. `queues`: whether it keeps System V IPC apart.
    `limited`: whether memory has a limit.
    """
    steps = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 1, 0, MACHINES[machine]),
        # The numbers of another machine mean other calls.
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32_BIT),
        _fail(errno.EPERM),
    ]
    refused = {*REFUSED, *(() if queues else BETWEEN_PROCESSES), *(UNCOUNTED if limited else ())}
    for name in sorted(refused):
        steps += _on(machine, name, [_fail(errno.EPERM)])
    # A user's own bus would start programs outside of every wall. Honest programs know best how
    # to do without a listener.
    steps += _on(machine, "connect", [_fail(errno.ECONNREFUSED)])
    # The C library falls back to clone, whose flags can be seen here.
    steps += _on(machine, "clone3", [_fail(errno.ENOSYS)])
    steps += _on(machine, "clone", [_argument(0), (ANY_BIT, 0, 1, NAMESPACES), *_fail_or_pass()])
    steps += _on(
        machine, "prctl", [_argument(0), (EQUAL, 0, 1, PR_SET_PDEATHSIG), *_fail_or_pass()]
    )
    for name in ("socket", "socketpair"):
        steps += _on(machine, name, _only_connected_unix())
    if own_id is not None:
        steps += _alone(machine, own_id)
        steps += [] if signals else _quiet(machine, own_id)
    return [*steps, (RETURN, 0, 0, ALLOW)]


def _alone(machine: str, own_id: int) -> list[Step]:
    """No other process's processor, priority or limits are set."""
    own = (0, own_id)
    steps: list[Step] = []
    for name in ON_OTHERS:
        steps += _on(machine, name, _only(0, own))
    for name in ("setpriority", "ioprio_set"):
        # Processes are kind 0 for the one and 1 for the other; groups and users are refused.
        kind = PRIO_PROCESS if name == "setpriority" else 1
        one = [_argument(0), (EQUAL, 1, 0, kind), _fail(errno.EPERM)]
        steps += _on(machine, name, [*one, *_only(1, own)])
    reads = [
        _argument(2),
        (EQUAL, 0, 3, 0),
        _argument(2, high=True),
        (EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ALLOW),
    ]
    return steps + _on(machine, "prlimit64", [*reads, *_only(0, own)])


def _quiet(machine: str, own_id: int) -> list[Step]:
    """No signal leaves this process and its group, neither sent nor asked for."""
    steps: list[Step] = []
    for name in SIGNALS:
        steps += _on(machine, name, _only(0, (0, own_id)))
    for name in KILLERS:
        steps += _on(machine, name, [_fail(errno.EPERM)])
    steps += _on(machine, "fcntl", _except(1, (F_SETOWN, F_SETOWN_EX)))
    return steps + _on(machine, "ioctl", _except(1, (FIOSETOWN, SIOCSPGRP)))


def _on(machine: str, name: str, block: Sequence[Step]) -> list[Step]:
    """Run `block`, which ends in an answer, if the call is this one; the number stays loaded."""
    wanted = number(name, machine)
    return [] if wanted is None else [(EQUAL, 0, len(block), wanted), *block]


def _argument(index: int, *, high: bool = False) -> Step:
    return (LOAD, 0, 0, ARGUMENTS + 8 * index + 4 * high)


def _fail(code: int) -> Step:
    return (RETURN, 0, 0, FAIL | code)


def _fail_or_pass() -> list[Step]:
    return [_fail(errno.EPERM), (RETURN, 0, 0, ALLOW)]


def _only(index: int, values: Iterable[int]) -> list[Step]:
    """Pass if the argument is one of `values`: ids, of which the kernel reads 32 bits."""
    steps = [_argument(index)]
    for value in values:
        steps += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*steps, _fail(errno.EPERM)]


def _except(index: int, values: Iterable[int]) -> list[Step]:
    """Pass unless the argument is one of `values`."""
    steps = [_argument(index)]
    for value in values:
        steps += [(EQUAL, 0, 1, value), _fail(errno.EPERM)]
    return [*steps, (RETURN, 0, 0, ALLOW)]


def _only_connected_unix() -> list[Step]:
    """Unix sockets, but no datagrams: they reach any address without `connect`."""
    return [
        _argument(0),
        (EQUAL, 1, 0, AF_UNIX),
        _fail(errno.EACCES),
        _argument(1),
        (AND, 0, 0, SOCK_TYPES),
        (EQUAL, 0, 1, SOCK_DGRAM),
        *[_fail(errno.EACCES), (RETURN, 0, 0, ALLOW)],
    ]
