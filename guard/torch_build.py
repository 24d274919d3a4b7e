"""Build a torch binding: host and device files in parallel, light headers first, then torch's own.

    Solution -> one compiler per file (at the same time) -> linker -> the library's bytes

Most of such a compile is the parsing of torch's headers. So every file is first compiled with
`languages/light_torch`, which stands before the names that a typical source uses; whatever it does
not have is an error there, and everything is compiled again with torch's own headers, as
SOL-ExecBench does. Must never load what it built. Start at `build`.

Not here: which options are allowed (`guard.languages.cuda_cpp`), loading (`guard.torch_binding`).
"""

import shutil
import sysconfig
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from guard.compile import CompilerRun, cxx, extra_include_dirs, run_compiler, toolkits
from guard.unknown_names import beyond_help

LIGHT_HEADERS = Path(__file__).parent / "languages" / "light_torch"
MODULE = "solution"
LIGHT_LIBRARY, FULL_LIBRARY = "light.so", "full.so"
"""How the library was built is told by its name: the two are called differently."""
HOST_SUFFIXES = (".cpp", ".cc", ".cxx", ".c")
DEVICE_SUFFIX = ".cu"
LIGHT, FULL = WAYS = ("light", "full")
"""Whose headers: ours, or torch's own."""
COMPILE_LIMIT_S = 110.0
"""Of light and full together: torch's own headers take a minute on a slow host."""
LIGHT_STANDARD, FULL_STANDARD = "-std=c++17", "-std=c++20"
# Torch's own: without them a source finds operators for half types that it defines itself.
NVCC_DEFINES = (
    "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
    "--expt-relaxed-constexpr",
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """A solution's options by who takes them."""

    host: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    linker: tuple[str, ...] = ()


@dataclass(frozen=True)
class Built:
    """What came of it: the library's name and bytes, or why there is none."""

    output: str
    files: Mapping[str, bytes]
    hopeless: bool = False
    """There is none, and other headers could not help."""
    ended: bool = True
    """Whether no compiler's time was over."""


def build(paths: Sequence[str], options: Options, target: str, scratch: Path) -> Built:
    """Compile and link the files below `scratch` for the GPU architecture `target`."""
    ends_s = monotonic() + COMPILE_LIMIT_S
    light = _attempt(paths, options, target, scratch, _light(paths), ends_s)
    if light.files or light.hopeless:
        return light
    return _attempt(paths, options, target, scratch, _full(), ends_s)


def build_so(way: str, paths: Sequence[str], options: Options, target: str, scratch: Path) -> Built:
    """The same with the headers that `way` names alone: what a benchmark compares."""
    chosen = _light(paths) if way == LIGHT else _full()
    return _attempt(paths, options, target, scratch, chosen, monotonic() + COMPILE_LIMIT_S)


@dataclass(frozen=True)
class _Way:
    library: str
    standard: str
    flags: tuple[str, ...]
    linker: tuple[str, ...]


def _light(paths: Sequence[str]) -> _Way:
    defines = ("-DKERNELARC_CUDA",) if has_device_code(paths) else ()
    flags = (*defines, "-isystem", str(LIGHT_HEADERS))
    # Torch's functions are handed over at the start, so nothing may be left undefined.
    return _Way(LIGHT_LIBRARY, LIGHT_STANDARD, flags, ("-Xlinker", "-z", "-Xlinker", "defs"))


def _full() -> _Way:
    root = torch_root() or Path("torch")
    folders = (root / "include", root / "include/torch/csrc/api/include", python_headers())
    includes = [part for folder in folders for part in ("-isystem", str(folder))]
    flags = ["-DTORCH_API_INCLUDE_EXTENSION_H", *includes]
    if not (root / "include/c10/cuda/impl/cuda_cmake_macros.h").is_file():
        # A torch without CUDA has the headers, but not what its build would have made of them.
        flags.append("-DC10_CUDA_NO_CMAKE_CONFIGURE_FILE")
    return _Way(FULL_LIBRARY, FULL_STANDARD, tuple(flags), ())


def _attempt(
    paths: Sequence[str], options: Options, target: str, scratch: Path, way: _Way, ends_s: float
) -> Built:
    def compiled(numbered: tuple[int, str]) -> CompilerRun:
        number, path = numbered
        command = _command(path, options, target, way)
        folder = scratch / f"object{number}"
        folder.mkdir(exist_ok=True)
        return run_compiler(
            [*command, "-c", str(scratch / path), "-o", str(scratch / f"{number}.o")],
            folder,
            max(1.0, ends_s - monotonic()),
        )

    with ThreadPoolExecutor(max_workers=len(paths)) as pool:
        runs = list(pool.map(compiled, enumerate(paths)))
    output = "\n".join(run.output.strip() for run in runs if run.output.strip())
    if not all(run.ok for run in runs):
        ended = not any(run.stopped for run in runs)
        return Built(output, {}, beyond_help(output, _header_folders()), ended)
    linked = run_compiler(_link(paths, options, way), scratch, max(1.0, ends_s - monotonic()))
    output = f"{output}\n{linked.output}".strip()
    if not linked.ok:
        # Everything is declared, so what is not defined is missing from the source.
        return Built(output, {}, hopeless=True, ended=not linked.stopped)
    return Built(output, {way.library: (scratch / way.library).read_bytes()})


def _command(path: str, options: Options, target: str, way: _Way) -> list[str]:
    folders = [part for folder in extra_include_dirs() for part in ("-isystem", str(folder))]
    defines = (f"-DTORCH_EXTENSION_NAME={MODULE}", *way.flags, *folders)
    if not path.endswith(DEVICE_SUFFIX):
        cuda = [part for folder in _cuda_headers() for part in ("-isystem", folder)]
        command = [cxx() or "g++", "-O3", way.standard, "-fPIC", "-fvisibility=hidden"]
        return [*command, *options.host, "-I..", *defines, *cuda]
    command = [nvcc() or "nvcc", "-O3", way.standard, f"-arch={target}", *NVCC_DEFINES]
    host = ("-Xcompiler=-fPIC", "-Xcompiler=-fvisibility=hidden", "-Xptxas=-v")
    return [*command, *host, *options.device, "-I..", *defines]


def _link(paths: Sequence[str], options: Options, way: _Way) -> list[str]:
    driver = nvcc() if has_device_code(paths) else cxx()
    objects = [f"{number}.o" for number in range(len(paths))]
    folders = [f"-L{t}/{part}" for t in toolkits() for part in ("lib64", "lib64/stubs")]
    return [
        driver or "c++", "-shared", *objects, *way.linker, *folders, *options.linker,
        "-o", way.library,
    ]  # fmt: skip


def has_device_code(paths: Sequence[str]) -> bool:
    """Whether nvcc has a part in it."""
    return any(path.endswith(DEVICE_SUFFIX) for path in paths)


def _header_folders() -> list[Path]:
    torch = torch_root()
    here = [torch / "include"] if torch else []
    cuda = map(Path, _cuda_headers())
    return [*here, python_headers(), *cuda, *extra_include_dirs(), Path("/usr/include")]


def _cuda_headers() -> list[str]:
    return [str(t / "include") for t in toolkits() if (t / "include/cuda_runtime.h").is_file()][:1]


def nvcc() -> str | None:
    """The CUDA compiler: of a toolkit, or on the PATH."""
    named = (str(toolkit / "bin" / "nvcc") for toolkit in toolkits())
    return next((found for name in (*named, "nvcc") if (found := shutil.which(name))), None)


def torch_root() -> Path | None:
    """Where torch lies; it is not imported."""
    spec = find_spec("torch")
    return Path(spec.origin).parent if spec and spec.origin else None


def python_headers() -> Path:
    """Where Python.h lies."""
    return Path(sysconfig.get_paths()["include"])
