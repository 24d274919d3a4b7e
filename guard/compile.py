"""What compiled languages share: run a compiler, tidy what it printed, find CUDA's headers.

Runs in a sandboxed builder and writes below its scratch folder only. Must never load or run what
was compiled, and never let a compiler's output pass unbounded or with control characters.

Start at `run_compiler`, then `clean`. Not here: options and ABIs (`guard.languages`).
"""

import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from guard.domain.errors import MalformedSolution
from guard.domain.machine_code import KernelResources
from guard.domain.solution import Solution
from guard.plain import plain
from guard.sandbox import INCLUDE, extra_paths

MAX_MESSAGE_CHARS = 3_000
# Shorter than Policy.compile_limit_s, so that the compiler's last words reach the agent.
COMPILER_LIMIT_S = 50.0
_MAX_OUTPUT_BYTES = 256 * 1024
_SAFE_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class CompilerRun:
    """How a compiler ended, and the first part of what it printed, unsanitised."""

    ok: bool
    output: str
    stopped: bool = False
    """Whether its time was over."""


def run_compiler(
    command: Sequence[str],
    scratch: Path,
    limit_s: float = COMPILER_LIMIT_S,
    max_output_bytes: int = _MAX_OUTPUT_BYTES,
) -> CompilerRun:
    """Run `command` in `scratch`; after `limit_s` seconds its process group is killed."""
    temporary = scratch / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "TMPDIR": str(temporary),
        "HOME": str(temporary),
        "LC_ALL": "C",
    }
    log = temporary / "compiler.log"
    ends_s = time.monotonic() + limit_s
    # Its other end is open for as long as the compiler lives: `Popen.wait` asks now and then.
    lives, living = os.pipe()
    with log.open("wb") as sink, os.fdopen(lives, "rb"), os.fdopen(living, "wb") as held:
        process = subprocess.Popen(
            command,
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            process_group=0,
            pass_fds=(living,),
        )
        held.close()
        select.select([lives], [], [], limit_s)
        try:
            status = process.wait(max(0.0, ends_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return CompilerRun(False, f"The compiler was stopped after {limit_s:g} s.", True)
    with log.open("rb") as source:
        output = source.read(max_output_bytes).decode(errors="replace")
    if status < 0:
        output += f"\nThe compiler was ended by {signal.Signals(-status).name}."
    return CompilerRun(status == 0, output)


def clean(text: str, *, drop: Iterable[Path] = (), limit: int = MAX_MESSAGE_CHARS) -> str:
    """The useful head of a compiler's output: no control characters, at most `limit` characters.

    Folders in `drop` are cut from the paths. What is too long starts at its first error.
    """
    text = plain(text)
    for folder in drop:
        text = text.replace(f"{folder}/", "")
    text = text.strip()
    if len(text) <= limit:
        return text
    head = _from_first_error(text.splitlines())
    note = "\n… (the rest is left out)"
    return head[: limit - len(note)].rpartition("\n")[0] + note


def _from_first_error(lines: list[str]) -> str:
    first = next((i for i, line in enumerate(lines) if re.search(r"\berror\b", line)), 0)
    kept = [line for line in lines[max(first - 1, 0) :] if not line.startswith("In file included")]
    # A single endless line would leave nothing after the cut at a line end.
    return "\n".join(line[:1000] for line in kept) + "\n"


_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_SPILL = re.compile(r"(\d+) bytes spill stores")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_BARRIERS = re.compile(r"used (\d+) barriers")


def parse_ptxas(log: str) -> tuple[KernelResources, ...]:
    """Registers, static shared memory and spilled bytes per kernel, from ``ptxas -v``."""
    return tuple(
        KernelResources(
            kernel=_ENTRY.findall(block)[0],
            registers=_number(_REGISTERS, block),
            shared_bytes=_number(_SHARED, block),
            spill_bytes=_number(_SPILL, block),
            barriers=_number(_BARRIERS, block),
        )
        for block in re.split(r"(?=ptxas info\s*: Compiling entry)", log)
        if _ENTRY.search(block)
    )


def without_ptxas(log: str) -> str:
    """The log less the lines that `parse_ptxas` reads; warnings stay."""
    info = re.compile(r"ptxas (info\s*:|\s*\.)")
    return "\n".join(line for line in log.splitlines() if not info.match(line))


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found.group(1)) if found else 0


def cuda_include_dirs() -> tuple[Path, ...]:
    """Folders with CUDA's headers, complete sets first, each followed by its C++ library.

    Wheels come before a toolkit: NVRTC is taken from a wheel where there is one, and headers of
    another version may not compile with it.
    """
    found = [d for d in dict.fromkeys(_include_candidates()) if (d / "cuda_fp16.h").is_file()]
    complete = [d for d in found if _is_complete(d)]
    ordered = complete + [d for d in found if d not in complete]
    return tuple(path for d in ordered for path in (d, d / "cccl") if path.is_dir())


def _is_complete(folder: Path) -> bool:
    library = (folder / "cccl", folder)
    has_library = any((d / "cuda" / "std" / "cstdint").is_file() for d in library)
    return has_library and (folder / "crt" / "mma.h").is_file()


def _include_candidates() -> Iterator[Path]:
    # Every wheel of CUDA 13 shares one folder; those of CUDA 12 have one each.
    for root in _nvidia_wheels():
        yield root / "cu13" / "include"
        for part in ("cuda_runtime", "cuda_nvcc", "cuda_cccl"):
            yield root / part / "include"
    for toolkit in toolkits():
        yield toolkit / "include"


def toolkits() -> Iterator[Path]:
    """Folders that may hold a CUDA toolkit: CUDA_HOME, CUDA_PATH, then the usual place."""
    named = (os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""))
    yield from (Path(name) for name in (*named, "/usr/local/cuda") if name)


def has_nvrtc() -> bool:
    """Whether NVRTC's library lies in a wheel or a toolkit."""
    wheels = [root / part / "lib" for root in _nvidia_wheels() for part in ("cu13", "cuda_nvrtc")]
    folders = (*wheels, *(toolkit / "lib64" for toolkit in toolkits()))
    return any(next(folder.glob("libnvrtc.so*"), None) for folder in folders)


def _nvidia_wheels() -> tuple[Path, ...]:
    spec = find_spec("nvidia")
    return tuple(map(Path, spec.submodule_search_locations or ())) if spec else ()


def cxx() -> str | None:
    """The C++ compiler: what CXX names, else GNU's or LLVM's."""
    chosen = os.environ.get("CXX")
    candidates = (chosen,) if chosen else ("g++", "clang++")
    return next((path for name in candidates if (path := shutil.which(name))), None)


def extra_include_dirs() -> tuple[Path, ...]:
    """Folders with headers that the server's configuration adds for every compiler."""
    return tuple(map(Path, extra_paths(INCLUDE)))


def include_digest() -> str:
    """What lies in the extra folders, as far as names, sizes and times tell; empty without any."""
    folders = extra_include_dirs()
    if not folders:
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        stat = path.lstat()
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def check_sources(solution: Solution) -> None:
    """Refuse paths that leave the scratch folder, and an entry point that is no identifier.

    Raises:
        MalformedSolution: the field and the reason.
    """
    paths = [source.path for source in solution.sources]
    for path in paths:
        if not _SAFE_PATH.fullmatch(path):
            raise MalformedSolution(
                "sources", f"{path!r} is not a plain relative path (letters, digits, . _ + - /)"
            )
    if len(set(paths)) != len(paths):
        raise MalformedSolution("sources", "two files have the same path")
    if not _IDENTIFIER.fullmatch(solution.entry_point):
        raise MalformedSolution("entry_point", f"{solution.entry_point!r} is not an identifier")


def write_sources(solution: Solution, scratch: Path) -> None:
    """Write every source file below `scratch`, under its own path."""
    for source in solution.sources:
        path = scratch / PurePosixPath(source.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.content, encoding="utf-8")
