"""C++17 for CPUs: one shared library with a plain C function, called through ctypes.

    extern "C" void run(const float* x, float* y, int64_t M, int64_t N)

Pointers of the inputs in definition order (scalars by value), then of the outputs, then every axis
in file order as int64_t. A C function `prepare` of the constant inputs and all axes may return a
pointer, which then takes their place, between inputs and outputs. Must never load the library in a
builder: loading runs its constructors.
"""

import ctypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from guard import code_digest, listing
from guard.compile import (
    check_sources,
    clean,
    cxx,
    extra_include_dirs,
    run_compiler,
    write_sources,
)
from guard.domain.errors import MalformedSolution
from guard.domain.problem import PREPARE
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.ports import Artifact, Call, Kernel

LIBRARY = "solution.so"
SOURCE_SUFFIXES = (".cpp", ".cc", ".cxx")
BASE_OPTIONS = ("-O3", "-march=native", "-fopenmp", "-std=c++17", "-shared", "-fPIC")
# A missing function or symbol is a compile error, not a surprise in the runner.
LINK_OPTIONS = ("-Wl,-z,defs", "-Wl,--require-defined={entry}")
ALLOWED = re.compile(
    r"-O[0123]|-Ofast|-std=(c|gnu)\+\+(17|20|23)|-Wall|-Wextra"
    r"|-ffast-math|-funroll-(all-)?loops|-fassociative-math|-freciprocal-math|-ffinite-math-only"
    r"|-funsafe-math-optimizations|-fstrict-aliasing|-ftree-vectorize|-fomit-frame-pointer"
    r"|-fopenmp-simd|-ffp-contract=(fast|on|off)|-fprefetch-loop-arrays|-floop-[a-z-]+"
    r"|-fno-[a-z][a-z-]*"
    r"|-fvect-cost-model=(unlimited|dynamic|cheap|very-cheap)"
    r"|-m(fma|avx|avx2|f16c|bmi2|avx512[a-z0-9]{1,8}|amx-(tile|bf16|int8))"
    r"|-mprefer-vector-width=(128|256|512)"
    r"|-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?"
)
ALLOWED_IN_WORDS = (
    "-O0 to -O3, -Ofast, -std=c++17/20/23, -ffast-math and its parts, -funroll-loops, -fno-…, "
    "-ffp-contract=…, -mavx2 and the like, -mprefer-vector-width=…, -DNAME=VALUE"
)


class Cpp:
    """The language `cpp`."""

    name = "cpp"
    suffix = ".cpp"
    compiles_at_call = False
    summary = (
        'C++17 for CPUs: `extern "C" void run(input pointers…, output pointers…, int64_t axes…)`; '
        "OpenMP and vector extensions allowed."
    )

    def unavailable(self) -> str | None:
        """A C++ compiler must be found."""
        return None if cxx() else "no C++ compiler: install g++ or clang++, or set CXX"

    def warm(self, device_kind: str) -> None:
        """Nothing: a compiler is a process of its own."""

    def runs_on(self, device_kind: str) -> str | None:
        """On CPUs only."""
        if device_kind == "cpu":
            return None
        return f"C++ solutions run on the CPU, not on a device of kind {device_kind!r}"

    def timed_on(self, device_kind: str) -> str | None:
        """Wherever it runs."""
        return self.runs_on(device_kind)

    def check(self, solution: Solution) -> None:
        """Options from the allowed set; destination-passing style; no launch plan."""
        check_sources(solution)
        if not solution.sources[0].path.endswith(SOURCE_SUFFIXES):
            raise MalformedSolution("sources", "the entry file's name must end in .cpp")
        if not solution.destination_passing_style:
            raise MalformedSolution(
                "destination_passing_style", "a C++ function writes its outputs; set it to true"
            )
        if solution.launch_plan is not None:
            raise MalformedSolution("launch_plan", "only languages 'cuda' and 'triton' have one")
        for option in solution.options:
            if not ALLOWED.fullmatch(option):
                raise MalformedSolution(
                    "options", f"{option!r} is not allowed. Allowed: {ALLOWED_IN_WORDS}"
                )

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Compile for this very machine; `architecture` is not needed."""
        started = monotonic()
        write_sources(solution, scratch)
        files = [s.path for s in solution.sources if s.path.endswith(SOURCE_SUFFIXES)]
        link = [option.format(entry=solution.entry_point) for option in LINK_OPTIONS]
        command = [cxx() or "g++", *BASE_OPTIONS, *solution.options, "-I.", *_extra(), *files]
        ran = run_compiler([*command, *link, "-o", LIBRARY], scratch)
        messages = clean(_with_hint(ran.output, solution.entry_point), drop=[scratch])
        found = listing.Found()
        if ran.ok:
            to_assembly = partial(_assembly, command, [Path(f).stem for f in files], scratch)
            found = listing.of_library(scratch / LIBRARY, to_assembly, scratch)
        report = CompileReport(
            ok=ran.ok,
            messages=messages,
            duration_s=monotonic() - started,
            ended=not ran.stopped,
            **found.fields,
        )
        return Artifact(report, {LIBRARY: (scratch / LIBRARY).read_bytes()} if ran.ok else {})

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """Of the library as it lies in memory, its two functions and the options."""
        library = code_digest.of_library(files.get(LIBRARY, b""), (solution.entry_point, PREPARE))
        return code_digest.digest(map(str.encode, (self.name, library, *solution.options)))

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Load the library; its constructors run here, in the runner."""
        library = ctypes.CDLL(str(scratch / LIBRARY))
        function = library[solution.entry_point]
        function.restype = None
        preparation = getattr(library, PREPARE, None)
        if preparation is not None:
            preparation.restype = ctypes.c_void_p
        return CppKernel(function, preparation)


@dataclass(frozen=True)
class CppKernel:
    """A loaded C function."""

    function: Any
    preparation: Any = None
    """What prepares the constant inputs of a problem that has some."""
    prepared: tuple[Any, ...] = ()
    """The pointer that it returned."""

    def prepare(self, constants: Sequence[Any], axes: Mapping[str, int]) -> "CppKernel | None":
        """Give the function what its library prepared, in the place of these inputs."""
        if self.preparation is None:
            return None
        sizes = map(ctypes.c_int64, axes.values())
        made = self.preparation(*map(_argument, constants), *sizes)
        if made is None:
            raise RuntimeError("prepare returned a null pointer")
        return replace(self, prepared=(ctypes.c_void_p(made),))

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Convert every argument once; a call is then a single foreign call."""
        sizes = map(ctypes.c_int64, axes.values())
        given, written = map(_argument, inputs), map(_argument, outputs)
        return partial(self.function, *given, *self.prepared, *written, *sizes)


class _Pointer(ctypes.c_void_p):
    """A tensor's address that keeps the tensor alive."""

    tensor: Any


def _argument(value: Any) -> Any:
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    if isinstance(value, int):
        return ctypes.c_int64(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    pointer = _Pointer(value.data_ptr())
    pointer.tensor = value
    return pointer


def _extra() -> list[str]:
    return [part for folder in extra_include_dirs() for part in ("-isystem", str(folder))]


def _assembly(command: Sequence[str], stems: Sequence[str], scratch: Path) -> str:
    """What the compiler would assemble, of every file; empty where it fails."""
    ran = run_compiler([*(part for part in command if part != "-shared"), "-S"], scratch,
                       listing.LIMIT_S)  # fmt: skip
    if not ran.ok:
        return ""
    return "\n".join((scratch / f"{stem}.s").read_text(errors="replace") for stem in stems)


def _with_hint(output: str, entry: str) -> str:
    # The linkers of GNU and LLVM word it differently.
    if re.search(rf"required symbol [`']?{entry}'? not defined", output):
        return f'error: no function `{entry}` with C linkage: write `extern "C" void {entry}(…)`.'
    return output


LANGUAGE = Cpp()
