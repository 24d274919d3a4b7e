"""CUDA C++ for NVIDIA GPUs: compiled by NVRTC to a cubin, launched by a plan. No host code runs.

    source -> NVRTC (cuda.core) -> cubin -> guard.cubin (binds and launches it)

Compiling needs neither a GPU nor a driver. Must never import cuda before it compiles or loads.
"""

import io
import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from guard import code_digest, evidence, listing
from guard.compile import (
    check_sources,
    clean,
    cuda_include_dirs,
    extra_include_dirs,
    has_nvrtc,
    parse_ptxas,
    without_ptxas,
    write_sources,
)
from guard.cubin import CubinKernel
from guard.cubin_limits import read_built
from guard.domain.errors import MalformedSolution
from guard.domain.machine_code import KernelResources
from guard.domain.solution import LaunchPlan, Solution
from guard.domain.trace import CompileReport
from guard.launch import lay_out
from guard.launch_check import check_cuda_plan
from guard.ports import Artifact, Kernel

CUBIN = "solution.cubin"
DEFAULT_ARCHITECTURE = "sm_90a"
SHIMS = Path(__file__).parent / "include"
PACKAGES = "cuda-core[cu13], nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-cuda-cccl"
# Option -> keyword of cuda.core's ProgramOptions; "" where it is NVRTC's default.
FLAGS: Mapping[str, tuple[str, bool]] = {
    "--use_fast_math": ("use_fast_math", True),
    "--restrict": ("restrict", True),
    "--extra-device-vectorization": ("extra_device_vectorization", True),
    "--generate-line-info": ("lineinfo", True),
    "--fmad=false": ("fma", False),
    "--ftz=true": ("ftz", True),
    "--prec-div=false": ("prec_div", False),
    "--prec-sqrt=false": ("prec_sqrt", False),
    "-O3": ("", True),
}
_DEFINE = re.compile(r"-D([A-Za-z_][A-Za-z0-9_]*)(?:=([A-Za-z0-9_.+-]*))?")
_REGISTERS = re.compile(r"--?maxrregcount=(\d{1,3})")
_STANDARD = re.compile(r"--?std=(c\+\+(?:17|20))")
_ALLOWED = f"{', '.join(FLAGS)}, --maxrregcount=N, --std=c++17 or c++20, -DNAME=VALUE"


class Cuda:
    """The language `cuda`."""

    name = "cuda"
    suffix = ".cu"
    compiles_at_call = False
    summary = (
        'CUDA C++ with `extern "C" __global__` kernels, and a `launch_plan` (JSON): kernels in '
        "order, grid, block and argument names."
    )

    def unavailable(self) -> str | None:
        """The binding, NVRTC and CUDA's headers must be found; a GPU need not."""
        if not find_spec("cuda") or not find_spec("cuda.core"):
            return f"cuda.core is not installed (packages {PACKAGES})"
        if not has_nvrtc():
            return "NVRTC was not found (package nvidia-cuda-nvrtc, or a CUDA toolkit)"
        if not cuda_include_dirs():
            return f"CUDA's headers were not found (packages {PACKAGES}, or a CUDA toolkit)"
        return None

    def warm(self, device_kind: str) -> None:
        """Import what compiles and loads."""
        if device_kind == "nvidia" and not self.unavailable():
            import_module("cuda.core")

    def runs_on(self, device_kind: str) -> str | None:
        """On NVIDIA GPUs only; elsewhere it is compiled and not verified."""
        return None if device_kind == "nvidia" else "compiled, not verified: no CUDA device here"

    def timed_on(self, device_kind: str) -> str | None:
        """Wherever it runs."""
        return self.runs_on(device_kind)

    def check(self, solution: Solution) -> None:
        """Allowed options, a launch plan that can be read, destination-passing style."""
        check_sources(solution)
        if not solution.destination_passing_style:
            raise MalformedSolution(
                "destination_passing_style", "kernels write their outputs; set it to true"
            )
        if solution.launch_plan is None:
            raise MalformedSolution("launch_plan", "language 'cuda' needs one (docs/languages.md)")
        check_cuda_plan(solution.launch_plan)
        _program_options(solution.options)

    def compile(self, solution: Solution, architecture: str, scratch: Path) -> Artifact:
        """Compile to a cubin for `architecture`, or for sm_90a where there is no GPU."""
        started = monotonic()
        write_sources(solution, scratch)
        target = architecture if architecture.startswith("sm_") else DEFAULT_ARCHITECTURE
        code, ptx, log = _nvrtc(solution, target, scratch)
        resources = evidence.with_launches(parse_ptxas(log), solution.launch_plan)
        missing = _missing_kernels(solution.launch_plan, resources) if code else ""
        folders = (scratch, SHIMS, *cuda_include_dirs())
        ok = code is not None and not missing
        found = listing.Found()
        if code and ok:
            found = listing.of_cubins((listing.Cubin(code),), (ptx,), scratch)
        report = CompileReport(
            ok=ok,
            messages=clean(missing or without_ptxas(log), drop=folders),
            resources=resources,
            duration_s=monotonic() - started,
            architecture=target,
            **found.fields,
        )
        return Artifact(report, {CUBIN: code} if code and report.ok else {})

    def code_digest(self, solution: Solution, files: Mapping[str, bytes]) -> str:
        """Of the cubin and the launch plan; without one nothing is ever launched."""
        if solution.launch_plan is None:
            return ""
        cubin = code_digest.of_cubin(files.get(CUBIN, b""))
        plan = code_digest.of_plan(solution.launch_plan, cubin.kernels)
        return code_digest.digest((self.name.encode(), cubin.digest.encode(), plan))

    def load(self, solution: Solution, scratch: Path) -> Kernel:
        """Take the cubin; the driver loads it when the first kernel is bound."""
        core: Any = import_module("cuda.core")
        code = core.ObjectCode.from_cubin(read_built(scratch / CUBIN))
        return CubinKernel(partial(lay_out, _plan(solution)), {"": code})


def _plan(solution: Solution) -> LaunchPlan:
    if solution.launch_plan is None:
        raise MalformedSolution("launch_plan", "language 'cuda' needs one")
    return solution.launch_plan


def _nvrtc(solution: Solution, target: str, scratch: Path) -> tuple[bytes | None, str, str]:
    """The cubin, the PTX on the way to it, and the log."""
    core: Any = import_module("cuda.core")
    # cuda.core raises this class and exports it nowhere else.
    errors: Any = import_module("cuda.core._utils.cuda_utils")
    entry = scratch / solution.sources[0].path
    folders = dict.fromkeys(
        (entry.parent, scratch, SHIMS, *extra_include_dirs(), *cuda_include_dirs())
    )
    keywords = {"std": "c++17", **_program_options(solution.options)}
    options = core.ProgramOptions(
        name=solution.sources[0].path,
        arch=target,
        ptxas_options=["-v"],
        # NVRTC's own cache lies in the home folder, and a hit reports no resources.
        no_cache=True,
        include_path=[str(folder) for folder in folders],
        **keywords,
    )
    log = io.StringIO()
    try:
        program = core.Program(solution.source, "c++", options)
        code = program.compile("cubin", logs=log)
    except errors.NVRTCError as error:
        return None, "", str(error).partition("compilation log:")[2] or str(error)
    return bytes(code.code), _ptx(program), log.getvalue()


def _ptx(program: Any) -> str:
    """What NVRTC made the cubin of; empty where it does not tell."""
    nvrtc: Any = import_module("cuda.bindings.nvrtc")
    handle = nvrtc.nvrtcProgram(int(program.handle))
    status, size = nvrtc.nvrtcGetPTXSize(handle)
    text = bytearray(size if status == 0 else 0)
    if text:
        nvrtc.nvrtcGetPTX(handle, text)
    return text.rstrip(b"\0").decode(errors="replace")


def _program_options(options: Sequence[str]) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    macros: list[str | tuple[str, str]] = []
    for option in options:
        if option in FLAGS:
            name, value = FLAGS[option]
            keywords |= {name: value} if name else {}
        elif found := _DEFINE.fullmatch(option):
            name, text = found.groups()
            macros.append(name if text is None else (name, text))
        elif found := _REGISTERS.fullmatch(option):
            keywords["max_register_count"] = int(found[1])
        elif found := _STANDARD.fullmatch(option):
            keywords["std"] = found[1]
        else:
            raise MalformedSolution("options", f"{option!r} is not allowed. Allowed: {_ALLOWED}")
    return keywords | ({"define_macro": macros} if macros else {})


def _missing_kernels(plan: LaunchPlan | None, resources: Sequence[KernelResources]) -> str:
    compiled = [r.kernel for r in resources]
    wanted = dict.fromkeys(launch.kernel for launch in plan.kernels) if plan else {}
    missing = [name for name in wanted if name not in compiled]
    if not missing:
        return ""
    return (
        f"error: the launch plan names {', '.join(missing)}, but the source compiles to: "
        f'{", ".join(compiled) or "no kernel"}. Declare kernels extern "C" __global__.'
    )


LANGUAGE = Cuda()
