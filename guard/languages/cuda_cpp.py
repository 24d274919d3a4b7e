"""C++ and CUDA with torch's bindings, as SOL-ExecBench's `cuda_cpp` solutions have them.

    void run(torch::Tensor x, double scale, torch::Tensor y);
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }

Host code only runs on every device; what launches kernels needs a GPU. Must never load the library
in a builder. Start at `CudaCpp`. Not here: compilers (`guard.torch_build`), loading
(`guard.torch_binding`).
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from guard import torch_binding, torch_build
from guard.compile import check_sources, clean, cxx, parse_ptxas, without_ptxas, write_sources
from guard.domain.errors import MalformedSolution
from guard.domain.solution import Solution
from guard.domain.trace import CompileReport
from guard.ports import Artifact, Kernel

DEFAULT_ARCHITECTURE = "sm_90a"
BOTH = re.compile(r"-O[0-3]|-?-std=c\+\+(17|20)|-[DU][A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?")
HOST = re.compile(
    r"-f(fast-math|openmp|PIC|unroll-loops|no-[a-z][a-z-]*)|-W(all|extra|no-[a-z-]+)|-w"
    r"|-m(arch=native|fma|avx2|avx512[a-z0-9]{1,8}|f16c)"
)
DEVICE = re.compile(
    r"--use_fast_math|-use_fast_math|-?-expt-(relaxed-constexpr|extended-lambda)|-?-extended-lambda"
    r"|-?-generate-line-info|-lineinfo|-?-restrict|-?-extra-device-vectorization|--threads=\d{1,2}"
    r"|-?-maxrregcount=\d{1,3}|-?-(ftz|prec-div|prec-sqrt|fmad)=(true|false)"
    r"|(-Xptxas=|--ptxas-options=)(-v|-O[0-3]|-dlcm=(ca|cg)|--warn-on-spills)"
    r"|-?-diag-suppress=\d{1,5}(,\d{1,5}){0,15}"
)
LINKER = re.compile(
    r"-l(cuda|cudart|cublas|cublasLt|cudnn|cusparse|cusolver|curand|nvrtc|m|gomp|rt)"
)
# The device that judges decides for which architecture is compiled.
OF_ANOTHER_DEVICE = re.compile(
    r"(-?-gencode=?|-?-arch=?)?((arch=)?(compute|sm)_\d+[af]?(,code=\S+)?)?"
)
ALLOWED_IN_WORDS = (
    "for both compilers -O0 to -O3, -std=c++17/20, -DNAME=VALUE, -UNAME; for the host -ffast-math, "
    "-fopenmp, -fno-…, -march=native; for nvcc --use_fast_math, --expt-…, -lineinfo, -Xptxas=…, "
    "-maxrregcount=N; for the linker -lcuda, -lcublas, -lcudnn and the like"
)


class CudaCpp:
    """The language `cuda_cpp`."""

    name = "cuda_cpp"
    suffix = ".cu"
    compiles_at_call = False
    summary = (
        "C++ and CUDA with torch: `PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)` defines "
        "`run(inputs…, outputs…)` on torch::Tensor; slower to compile than `cuda`."
    )

    def unavailable(self) -> str | None:
        """A C++ compiler and torch with its headers; without nvcc only host code compiles."""
        if not cxx():
            return "no C++ compiler: install g++ or clang++, or set CXX"
        root = torch_build.torch_root()
        if root is None:
            return "torch is not installed"
        if not (root / "include/torch/extension.h").is_file():
            return f"torch's headers were not found below {root}"
        return None

    def warm(self, device_kind: str) -> None:
        """Nothing: a compiler is a process of its own."""

    def runs_on(self, device_kind: str) -> str | None:
        """Everywhere; on a GPU only if its compiler is there."""
        if device_kind == "nvidia" and not torch_build.nvcc():
            return "no nvcc: install a CUDA toolkit, or set CUDA_HOME"
        return None

    def timed_on(self, device_kind: str) -> str | None:
        """Wherever it runs."""
        return self.runs_on(device_kind)

    def check(self, solution: Solution) -> None:
        """An entry file of C++ or CUDA, options from the allowed set, no launch plan."""
        check_sources(solution)
        suffixes = (*torch_build.HOST_SUFFIXES, torch_build.DEVICE_SUFFIX)
        if not _compiled(solution) or not solution.sources[0].path.endswith(suffixes):
            raise MalformedSolution(
                "sources", "the entry file must end in .cu or .cpp and lie in no folder"
            )
        if solution.launch_plan is not None:
            raise MalformedSolution("launch_plan", "only languages 'cuda' and 'triton' have one")
        _sorted(solution.options)

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Compile every file of C++ and CUDA at the same time, for `architecture`, and link."""
        started = monotonic()
        write_sources(solution, scratch)
        paths = _compiled(solution)
        if torch_build.has_device_code(paths) and not torch_build.nvcc():
            why = "error: no nvcc here, and a .cu file needs it"
            return Artifact(CompileReport(ok=False, messages=why, duration_s=monotonic() - started))
        target = architecture if architecture.startswith("sm_") else DEFAULT_ARCHITECTURE
        built = torch_build.build(paths, _sorted(solution.options), target, scratch)
        report = CompileReport(
            ok=bool(built.files),
            messages=clean(without_ptxas(built.output), drop=[scratch]),
            resources=parse_ptxas(built.output),
            duration_s=monotonic() - started,
            ended=built.ended,
            architecture=target if torch_build.has_device_code(paths) else "",
        )
        return Artifact(report, built.files)

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """None: its host code does as it likes with Python and torch."""
        return ""

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Load the library; its constructors run here, in the runner."""
        return torch_binding.load(solution, scratch)


def _compiled(solution: Solution) -> list[str]:
    """Files that are compiled: as SOL-ExecBench does, only those that lie in no folder."""
    suffixes = (*torch_build.HOST_SUFFIXES, torch_build.DEVICE_SUFFIX)
    paths = (source.path for source in solution.sources)
    return [path for path in paths if path.endswith(suffixes) and "/" not in path]


def _sorted(options: Sequence[str]) -> torch_build.Options:
    """Options by who takes them.

    Raises:
        MalformedSolution: one is not allowed.
    """
    host, device, linker = [], [], []
    for option in options:
        if BOTH.fullmatch(option):
            host.append(option.replace("--std", "-std"))
            device.append(option)
        elif HOST.fullmatch(option):
            host.append(option)
        elif DEVICE.fullmatch(option):
            device.append(option)
        elif LINKER.fullmatch(option):
            linker.append(option)
        elif not option or not OF_ANOTHER_DEVICE.fullmatch(option):
            raise MalformedSolution(
                "options", f"{option!r} is not allowed. Allowed: {ALLOWED_IN_WORDS}"
            )
    return torch_build.Options(tuple(host), tuple(device), tuple(linker))


LANGUAGE = CudaCpp()
