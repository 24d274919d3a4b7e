"""The Landlock wall: which files a runner may read and write, and whom it may signal.

Works without root and inside any container whose kernel has it. The kernel also refuses to let a
process behind this wall trace, or read the memory, environment or descriptors of, one outside.
Start at `restrict`.
"""

import glob
import os
import struct
from collections.abc import Iterable

from guard.libc import call
from guard.sandbox import Walls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH = 1, 1
# Access bits: execute, read file and read folder; everything up to `truncate` (version 3).
READ = 0b1101
READ_FOLDER = 0b1000
FILE_BITS = 0b100000000000111
ALL = {1: (1 << 13) - 1, 2: (1 << 14) - 1}
ALL_SINCE_3 = (1 << 15) - 1
TCP, TCP_SINCE = 0b11, 4
# Abstract sockets and signals: only among processes behind the same wall.
SCOPES, SCOPES_SINCE = 0b11, 6
# No whole /run or /opt: secrets of containers and of this house may lie there.
READABLE = (
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc",
    "/sys",
    "/nix",
    "/run/opengl-driver",
    "/run/current-system",
    "/run/nvidia-persistenced",
    "/opt/cuda",
    "/opt/nvidia",
    "/opt/conda",
    "/opt/intel",
    "/opt/rh",
)
# A GPU driver opens its device nodes for writing. Terminals and shared memory stay closed.
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/nvidia*")


def version() -> int:
    """Landlock's version in this kernel; 0 without it."""
    try:
        return call("syscall", CREATE_RULESET, None, 0, ASK_VERSION)
    except OSError:
        return 0


def restrict(walls: Walls, *, readable: Iterable[str], writable: Iterable[str]) -> None:
    """Only `writable` may be written, only the system and `readable` read, no TCP, no signals out.

    The GPU driver writes below /proc (measured: error 304 without). What belongs to other users
    or is not in view is safe there; else only this process's own folder is opened.
    """
    abi = version()
    if abi < 1:
        walls.why["landlock"] = "not offered by this kernel"
        return
    access = ALL.get(abi, ALL_SINCE_3)
    network = TCP if abi >= TCP_SINCE else 0
    scopes = SCOPES if abi >= SCOPES_SINCE else 0
    fields = (access, network, scopes)[: 3 if scopes else 2 if network else 1]
    attributes = struct.pack("Q" * len(fields), *fields)
    try:
        ruleset = call("syscall", CREATE_RULESET, attributes, len(attributes), 0)
        for path in (*READABLE, "/proc", *readable):
            _allow(ruleset, path, access & READ)
        _allow(ruleset, "/dev", access & READ_FOLDER)
        for path in (*_devices(walls), *writable):
            _allow(ruleset, path, access)
        call("syscall", RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)
    except OSError as error:
        walls.attempt("landlock", error)
        return
    walls.held.append("landlock")
    if scopes:
        walls.held.append("signals")
    else:
        walls.why["signals"] = f"needs Landlock {SCOPES_SINCE}, this kernel has {abi}"


def _devices(walls: Walls) -> list[str]:
    found = [path for pattern in DEVICES for path in glob.glob(pattern)]
    if "shm" in walls.held:
        found.append("/dev/shm")
    if {"uid", "proc"} & set(walls.held):
        return [*found, "/proc"]
    # Held open, so that the kernel keeps the very entry that the rule is about.
    os.open("/proc/self", os.O_PATH)
    return [*found, f"/proc/{os.getpid()}"]


def _allow(ruleset: int, path: str, access: int) -> None:
    if not os.path.exists(path):
        return
    if not os.path.isdir(path):
        access &= FILE_BITS
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        call("syscall", ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", access, fd), 0)
    finally:
        os.close(fd)
