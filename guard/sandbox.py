"""The walls around a runner, each a small function that either holds or says why not.

Applied in a runner after the fork and before any candidate code; `namespaces` in its keeper.
Nothing here decides anything; `grade` only counts what held.

    namespaces (keeper) -> mounts -> limits -> identity -> landlock -> seccomp (runner)

Linux only. Start at `mounts`. Not here: the walls with a language of their own (`landlock`,
`seccomp`).
"""

import os
import resource
import struct
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from guard.libc import call, tried

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36
SIGKILL = 9
# Version 3 of the kernel's capability sets, for this process.
CAPABILITIES_3 = (0x20080522).to_bytes(4, sys.byteorder) + bytes(4)
CAP_DAC_OVERRIDE = 1 << 1
# Names of the server's settings, by which they travel on to every runner.
INCLUDE, PYTHON = "KERNELARC_INCLUDE", "KERNELARC_PYTHON"


@dataclass
class Walls:
    """Which layers hold, by name; `why` says what stopped the others."""

    held: list[str] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)

    def attempt(self, name: str, error: OSError | None) -> bool:
        """Record one layer's outcome."""
        if error is None:
            self.held.append(name)
        else:
            self.why[name] = f"{error.strerror or error}"
        return error is None

    @property
    def apart(self) -> bool:
        """Whether the kernel itself keeps this process from touching others of the host."""
        return bool({"uid", "pid"} & set(self.held))


def grade(held: Iterable[str]) -> int:
    """1: limits and seccomp; 2: and own uid or Landlock; 3: and all namespaces."""
    layers = set(held)
    if not {"session", "limits", "no_new_privs", "seccomp"} <= layers:
        return 0
    if not layers & {"uid", "landlock"}:
        return 1
    return 3 if {"pid", "net", "ipc", "mount"} <= layers else 2


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    call("prctl", PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ended."""
    call("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def first_to_end(walls: Walls) -> None:
    """When the host runs out of memory, have the kernel end this process before any other."""
    walls.attempt("out_of_memory", _written({"/proc/self/oom_score_adj": "1000"}))


def namespaces(walls: Walls) -> None:
    """Give this process's children a private pid, network, ipc and mount view.

    Without root a user namespace is tried first: it grants the right to make the others.
    """
    if os.geteuid() != 0:
        uid, gid = os.geteuid(), os.getegid()
        walls.attempt("user", tried("unshare", CLONE_NEWUSER) or _mapped(uid, gid))
    for name, flag in (
        ("mount", CLONE_NEWNS),
        ("net", CLONE_NEWNET),
        ("ipc", CLONE_NEWIPC),
        ("pid", CLONE_NEWPID),
    ):
        walls.attempt(name, tried("unshare", flag))


def _mapped(uid: int, gid: int) -> OSError | None:
    """Keep the ids as they are inside the new user namespace."""
    ids = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    return _written({f"/proc/self/{name}": text for name, text in ids.items()})


def _written(files: Mapping[str, str]) -> OSError | None:
    try:
        for path, text in files.items():
            Path(path).write_text(text)
    except OSError as error:
        return error
    return None


def mounts(
    walls: Walls, *, scratch: str, uid: int, size_bytes: int, readable: Iterable[str]
) -> None:
    """Private /proc, a memory-backed scratch folder with a size limit, and hidden homes.

    A clone or an interpreter may lie below a folder that only its owner may enter (a home of mode
    700). Such a folder is covered by an empty one in which just the needed paths are bound again,
    so that the runner's own uid reaches them and sees nothing else there.
    """
    if "mount" not in walls.held:
        return
    error = tried("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    if "pid" in walls.held and error is None:
        error = tried("mount", b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV, None)
        walls.attempt("proc", error)
    if os.geteuid() == 0:
        uncover(closed_ancestors([*readable, scratch]), [*readable, scratch])
    walls.attempt("shm", _tried_tmpfs("/dev/shm", b"size=256m"))
    # Without root only the ids that this user namespace maps can own it.
    owner, group = (uid, uid) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    options = f"size={size_bytes},mode=0700,uid={owner},gid={group}".encode()
    walls.attempt("scratch", _tried_tmpfs(scratch, options))


def own_folder(walls: Walls, *, scratch: str, uid: int) -> str:
    """The runner's scratch folder: the mounted one, or a folder of its own inside.

    Mounted, every runner of a referee sees its own files at the same path, so that what a
    compiler cached for one runner still fits the next.
    """
    if "scratch" in walls.held:
        return scratch
    folder = f"{scratch}/{uid}"
    os.mkdir(folder, 0o700)
    if os.geteuid() == 0:
        os.chown(folder, uid, uid)
    return folder


def closed_ancestors(paths: Iterable[str]) -> list[str]:
    """The highest folders above `paths` that other users may not enter."""
    closed: set[str] = set()
    for path in paths:
        for folder in reversed(Path(path).parents):
            if folder.exists() and not folder.stat().st_mode & 0o001:
                closed.add(str(folder))
                break
    return sorted(closed)


def uncover(closed: Iterable[str], needed: Iterable[str]) -> None:
    """Cover each closed folder and bind the needed paths below it again.

    Raises:
        OSError: a mount was refused.
    """
    for folder in closed:
        inside = [
            p for p in dict.fromkeys(needed) if p.startswith(folder + "/") and os.path.exists(p)
        ]
        inside = [p for p in inside if not any(p.startswith(q + "/") for q in inside)]
        held = [(p, os.open(p, os.O_PATH)) for p in inside]
        call(
            "mount", b"tmpfs", folder.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755,size=1m"
        )
        for path, fd in held:
            os.makedirs(path, mode=0o755, exist_ok=True)
            call(
                "mount", f"/proc/self/fd/{fd}".encode(), path.encode(), None, MS_BIND | MS_REC, None
            )
            os.close(fd)


def limits(walls: Walls, *, memory_bytes: int, file_bytes: int, processes: int) -> None:
    """Resource limits; `memory_bytes` is on top of what the process maps already, 0 for none."""
    table = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_NOFILE: 1024,
    }
    for kind, value in table.items():
        resource.setrlimit(kind, (value, value))
    if memory_bytes:
        limit_memory(memory_bytes)
    walls.held.append("limits")


def limit_memory(memory_bytes: int) -> None:
    """From now on so much address space more than the process has; never more than before."""
    mapped_pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit_bytes = mapped_pages * resource.getpagesize() + memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))


def identity(walls: Walls, uid: int, reachable: Iterable[str]) -> None:
    """Become `uid` for good when root; needs every path in `reachable` to stay enterable."""
    rights = 0
    if os.geteuid() == 0:
        blocked = closed_ancestors(reachable) + [p for p in reachable if not _open_to_all(p)]
        if blocked:
            walls.why["uid"] = f"{blocked[0]} is closed to other users"
            rights = CAP_DAC_OVERRIDE
        else:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            # Its memory must be readable for its own user, as whom a referee reads it.
            call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)
            walls.held.append("uid")
    # A user namespace gave the rights to make the others; root without a uid has all of them.
    walls.attempt("no_rights", _tried_rights(rights))
    walls.attempt("no_new_privs", tried("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def needed_paths() -> tuple[str, ...]:
    """What a runner must be able to read: this interpreter, its packages and this package."""
    paths = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).resolve().parent)]
    paths += [p for p in sys.path if p and os.path.isdir(p) and "site-packages" in p]
    paths += [*extra_paths(INCLUDE), *extra_paths(PYTHON)]
    paths += [os.path.realpath(p) for p in paths]
    return tuple(dict.fromkeys(os.path.abspath(p) for p in paths))


def extra_paths(name: str) -> tuple[str, ...]:
    """Folders that the server's settings open to every runner: headers, or Python packages."""
    return tuple(filter(None, os.environ.get(name, "").split(os.pathsep)))


def _open_to_all(path: str) -> bool:
    mode = os.stat(path).st_mode
    return bool(mode & 0o001 and mode & 0o004) if os.path.isdir(path) else bool(mode & 0o004)


def _tried_rights(rights: int) -> OSError | None:
    """Keep only these capabilities, which no program that is executed adds to."""
    return tried("capset", CAPABILITIES_3, struct.pack("6I", rights, rights, 0, 0, 0, 0))


def _tried_tmpfs(folder: str, options: bytes) -> OSError | None:
    flags = MS_NOSUID | MS_NODEV
    return tried("mount", b"tmpfs", folder.encode(), b"tmpfs", flags, options)


def clean_environment(scratch: str) -> dict[str, str]:
    """What the zygote may know of the house's environment: no token, no database."""
    kept = ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CXX", INCLUDE, PYTHON)
    root = str(Path(__file__).resolve().parents[1])
    path = [root, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)]
    # One thread before anything is imported: a fork of a process with an OpenMP pool hangs.
    return {
        **{k: os.environ[k] for k in kept if k in os.environ},
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        # torch reads these when it is imported, before a runner could say where it may write.
        "TMPDIR": scratch,
        "TORCHINDUCTOR_CACHE_DIR": f"{scratch}/cache/inductor",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        # What the processor says it has is believed; else each process test-compiles for 10 s.
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        # Its place is fixed at import, where a runner of another user may not write.
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
    }
