"""Compile the Triton kernels of a launch plan ahead of time, in a sandboxed builder.

    source + plan -> (the candidate's Python runs here) -> cubins + a record

Needs neither a GPU nor a driver. What it returns is all that the measured runner ever sees of the
candidate. Must never be called outside a builder. Start at `build`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

from guard import listing, python_source
from guard.compile import clean, write_sources
from guard.domain.errors import MalformedSolution
from guard.domain.machine_code import KernelResources
from guard.domain.solution import KernelLaunch, LaunchPlan, Solution, TritonOptions
from guard.domain.trace import CompileReport
from guard.launch_values import integer
from guard.ports import Artifact
from guard.triton_plan import RECORD, THREADS_PER_WARP, Built, Record, cubin_name, variants

_POINTED = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "i1",
}  # fmt: skip
_NUMBERS = {"int32": "i32", "int64": "i64", "float32": "fp32", "float64": "fp64"}
# Every allocation of ours is aligned to at least as much.
_MAX_SCRATCH_ALIGNMENT = 256


def build(solution: Solution, plan: LaunchPlan, architecture: str, scratch: Path) -> Artifact:
    """Compile every kernel that the plan may launch, for an architecture such as ``sm_90a``."""
    started = monotonic()
    write_sources(solution, scratch)
    python_source.use_scratch(scratch)
    os.environ["TRITON_INTERPRET"] = "0"
    compiler: Any = import_module("triton.compiler")
    files: dict[str, bytes] = {}
    ptx: list[str] = []
    try:
        module = python_source.load_module(solution, scratch)
        built: list[Built] = []
        for number, (kernel, asm) in enumerate(_kernels(module, plan, architecture)):
            built.append(kernel)
            files[cubin_name(number)] = asm["cubin"]
            ptx.append(asm["ptx"])
        files[RECORD] = Record(kernels=tuple(built)).model_dump_json().encode()
        messages = ""
    except MalformedSolution as error:
        messages = f"error: {error.message}"
    except compiler.CompilationError as error:
        messages = f"error: {error}"
    learned: dict[str, Any] = {}
    if not messages:
        learned = _learned(built, [files[cubin_name(n)] for n in range(len(built))], ptx, scratch)
    report = CompileReport(
        ok=not messages,
        messages=clean(messages, drop=(scratch,)),
        duration_s=monotonic() - started,
        architecture=architecture,
        **learned,
    )
    return Artifact(report, files if report.ok else {})


def _learned(
    built: Sequence[Built], codes: Sequence[bytes], ptx: Sequence[str], scratch: Path
) -> dict[str, Any]:
    """Fields of the report: what the kernels take, and their machine code."""
    cubins = tuple(map(listing.Cubin, codes, map(_variant, built)))
    used = listing.usage(cubins, scratch)
    resources = tuple(
        KernelResources(
            kernel=name,
            registers=used[name].registers,
            shared_bytes=kernel.shared_bytes,
            # The stack of a Triton kernel holds what was spilled; the language has no arrays.
            spill_bytes=used[name].stack_bytes,
            threads=THREADS_PER_WARP * kernel.warps,
        )
        for kernel, cubin in zip(built, cubins, strict=True)
        if (name := cubin.named(kernel.entry)) in used
    )
    return {"resources": resources, **listing.of_cubins(cubins, ptx, scratch).fields}


def _variant(kernel: Built) -> str:
    told = " ".join(f"{name}={value}" for name, value in kernel.constants.items())
    return f"[{told}]" if told else ""


def _kernels(
    module: ModuleType, plan: LaunchPlan, architecture: str
) -> Iterator[tuple[Built, Mapping[str, Any]]]:
    for index, launch in enumerate(plan.kernels):
        options = launch.triton or TritonOptions()
        field = f"launch_plan.kernels[{index}]"
        function = _function(f"{field}.kernel", module, launch.kernel)
        parameters = _parameters(field, function, launch, options)
        for constants in variants(f"{field}.triton", options):
            signature = _signature(function, launch, constants)
            wide = _wide(function, signature, options)
            compiled = _compiled(
                function,
                signature,
                constants,
                wide,
                architecture,
                _tuning(field, options, constants),
            )
            yield _built(index, constants, parameters, compiled.metadata), compiled.asm


def _function(field: str, module: ModuleType, name: str) -> Any:
    jit: Any = import_module("triton.runtime.jit")
    found = getattr(module, name, None)
    if isinstance(found, jit.JITFunction):
        return found
    names = sorted(n for n, value in vars(module).items() if isinstance(value, jit.JITFunction))
    what = "has no function of this name" if found is None else "holds no plain @triton.jit there"
    reason = f"{name!r}: the source {what}; it has: {', '.join(names) or 'none'}"
    if found is not None:
        reason += ". Autotuning and heuristics run on the host: write their outcome in the plan"
    raise MalformedSolution(field, reason)


def _parameters(
    field: str, function: Any, launch: KernelLaunch, options: TritonOptions
) -> tuple[str, ...]:
    """The names of the parameters that the plan's arguments fill, in order."""
    for name in options.constants:
        if name not in function.arg_names:
            listed = ", ".join(function.arg_names)
            raise MalformedSolution(
                f"{field}.triton.constants.{name}", f"no such parameter; there are: {listed}"
            )
    unset = [p.name for p in function.params if p.is_constexpr and p.name not in options.constants]
    if unset:
        reason = f"the tl.constexpr parameters {', '.join(unset)} have no value"
        raise MalformedSolution(f"{field}.triton.constants", reason)
    names = tuple(n for n in function.arg_names if n not in options.constants)
    if len(names) != len(launch.arguments):
        reason = (
            f"{launch.kernel!r} takes {len(names)} besides its constants ({', '.join(names)}), "
            f"the plan gives {len(launch.arguments)}"
        )
        raise MalformedSolution(f"{field}.arguments", reason)
    for name in options.multiples_of_16:
        if name not in names:
            reason = f"{name!r} is no parameter; there are: {', '.join(names)}"
            raise MalformedSolution(f"{field}.triton.multiples_of_16", reason)
    return names


def _signature(function: Any, launch: KernelLaunch, constants: dict[str, int]) -> dict[str, str]:
    types = iter(_type(text) for text in launch.arguments)
    return {n: "constexpr" if n in constants else next(types) for n in function.arg_names}


def _type(argument: str) -> str:
    kind = argument.partition(":")[0]
    return f"*{_POINTED[kind[:-1]]}" if kind.endswith("*") else _NUMBERS[kind]


def _wide(
    function: Any, signature: dict[str, str], options: TritonOptions
) -> dict[tuple[int], list[list[Any]]]:
    """Triton's own mark for pointers and numbers that 16 divides."""
    return {
        (place,): [["tt.divisibility", 16]]
        for place, name in enumerate(function.arg_names)
        if signature[name].startswith("*") or name in options.multiples_of_16
    }


def _tuning(field: str, options: TritonOptions, constants: dict[str, int]) -> dict[str, int]:
    return {
        name: integer(f"{field}.triton.{name}", getattr(options, name), constants)
        for name in ("num_warps", "num_stages", "num_ctas")
    }


def _compiled(
    function: Any,
    signature: dict[str, str],
    constants: dict[str, int],
    attributes: dict[tuple[int], list[list[Any]]],
    architecture: str,
    options: dict[str, int],
) -> Any:
    compiler: Any = import_module("triton.compiler")
    backends: Any = import_module("triton.backends.compiler")
    source = compiler.ASTSource(
        fn=function, signature=signature, constexprs=constants, attrs=attributes
    )
    capability = int("".join(c for c in architecture if c.isdigit()))
    target = backends.GPUTarget("cuda", capability, THREADS_PER_WARP)
    return compiler.compile(source, target=target, options=options)


def _built(
    index: int, constants: dict[str, int], parameters: tuple[str, ...], metadata: Any
) -> Built:
    # Which hidden pointers there are, and in which order, is the compiler's affair: Triton 3.6 and
    # 3.7 append one for scratch memory and one for profiling.
    hidden = ("global_scratch", "profile_scratch")
    found = [name for name in hidden if hasattr(metadata, f"{name}_size")]
    for name in found:
        if (getattr(metadata, f"{name}_align") or 1) > _MAX_SCRATCH_ALIGNMENT:
            reason = f"its {name} needs an alignment of more than {_MAX_SCRATCH_ALIGNMENT} bytes"
            raise MalformedSolution(f"launch_plan.kernels[{index}]", reason)
    return Built(
        index=index,
        constants=constants,
        entry=metadata.name,
        parameters=parameters,
        warps=metadata.num_warps,
        ctas=metadata.num_ctas,
        shared_bytes=metadata.shared,
        scratch_bytes=tuple(getattr(metadata, f"{name}_size") or 0 for name in found),
    )
