"""A Triton launch plan: which kernels are compiled ahead, and which of them a workload takes.

    TritonOptions -> variants (builder);  LaunchPlan × Record × axes -> Layout (runner)

The record comes from a builder that ran the candidate's Python, so it is untrusted: bounded here,
and every number in it is one that can only hurt its own candidate. Pure. Start at `lay_out`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from typing import Annotated

from pydantic import Field

from guard import code_digest
from guard import launch as launches
from guard.domain.errors import MalformedSolution
from guard.domain.solution import Choice, LaunchPlan, TritonOptions
from guard.domain.value import Value
from guard.launch_arguments import Scalars
from guard.launch_values import Argument, Launch, Layout, integer, within

RECORD = "kernels.json"
THREADS_PER_WARP = 32
_Bytes = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Built(Value):
    """One compiled kernel."""

    index: Annotated[int, Field(ge=0, le=63)]
    """Its launch's place in the plan."""
    constants: Annotated[dict[str, int], Field(max_length=64)]
    entry: Annotated[str, Field(min_length=1, max_length=1024)]
    """Its name in the cubin."""
    parameters: Annotated[tuple[str, ...], Field(max_length=64)]
    """The names of its parameters that are no constants, in order."""
    warps: Annotated[int, Field(ge=1, le=32)]
    ctas: Annotated[int, Field(ge=1, le=16)]
    shared_bytes: _Bytes
    scratch_bytes: Annotated[tuple[_Bytes, ...], Field(max_length=4)]
    """Per block, of every hidden pointer that the compiler appended to the parameters."""


class Record(Value):
    """What a builder says it compiled; the n-th kernel lies in ``kernel_n.cubin``."""

    kernels: Annotated[tuple[Built, ...], Field(min_length=1, max_length=4096)]


def cubin_name(number: int) -> str:
    """The artifact's file of the n-th kernel of a record."""
    return f"kernel_{number}.cubin"


def identity(plan: LaunchPlan, files: Mapping[str, bytes]) -> Iterator[bytes]:
    """What an artifact runs, and how, without the names of its kernels.

    Raises:
        ValueError: the record cannot be read, or a cubin.
    """
    record = Record.model_validate_json(files[RECORD])
    numbers = {launch.kernel: number for number, launch in enumerate(plan.kernels)}
    yield code_digest.of_plan(plan, numbers)
    for number, built in enumerate(record.kernels):
        cubin = code_digest.of_cubin(files.get(cubin_name(number), b""))
        entry = str(cubin.kernels.get(built.entry, -1))
        yield built.model_copy(update={"entry": entry}).model_dump_json().encode()
        yield cubin.digest.encode()


def variants(field: str, options: TritonOptions) -> Iterator[dict[str, int]]:
    """The constants of every kernel to compile.

    Raises:
        MalformedSolution: an expression has no value.
    """
    choices = {n: c.among for n, c in options.constants.items() if isinstance(c, Choice)}
    for chosen in product(*choices.values()):
        yield _constants(field, options, dict(zip(choices, chosen, strict=True)))


def chosen_constants(field: str, options: TritonOptions, axes: Mapping[str, int]) -> dict[str, int]:
    """The constants for one workload.

    Raises:
        MalformedSolution: one has no value, or a value that was not compiled for.
    """
    chosen: dict[str, int] = {}
    for name, constant in options.constants.items():
        if isinstance(constant, Choice):
            where = f"{field}.constants.{name}"
            chosen[name] = integer(where, constant.value, axes)
            if chosen[name] not in constant.among:
                listed = ", ".join(map(str, constant.among))
                reason = f"{constant.value!r} is {chosen[name]} here, which is not among {listed}"
                raise MalformedSolution(where, reason)
    return _constants(field, options, chosen)


def _constants(field: str, options: TritonOptions, chosen: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, constant in options.constants.items():
        if isinstance(constant, Choice):
            found[name] = chosen[name]
        else:
            found[name] = integer(f"{field}.constants.{name}", constant, found)
    return found


def lay_out(
    plan: LaunchPlan,
    record: Record,
    tensors: Collection[str],
    scalars: Scalars,
    axes: Mapping[str, int],
) -> Layout:
    """The plan for one workload, with the kernels that were compiled for it.

    Raises:
        MalformedSolution: the field, and the reason.
    """
    layout = launches.lay_out(plan, tensors, scalars, axes)
    workspaces = dict(layout.workspaces)
    completed = []
    for launch in layout.launches:
        options = plan.kernels[launch.index].triton or TritonOptions()
        constants = chosen_constants(f"{launch.field}.triton", options, axes)
        number, built = _find(record, launch, constants)
        _check_multiples(launch, options, built)
        hidden = []
        for place, size in enumerate(built.scratch_bytes):
            # No identifier, so that no name of the plan is taken.
            name = f"scratch {launch.index}.{place}"
            total = size * prod(launch.grid) * built.ctas
            if total:
                workspaces[name] = within(launch.field, total, launches.MAX_WORKSPACE_BYTES)
            hidden.append(Argument("pointer", name) if total else Argument("null"))
        completed.append(_complete(launch, built, cubin_name(number), tuple(hidden)))
    return replace(layout, launches=tuple(completed), workspaces=workspaces)


def _find(record: Record, launch: Launch, constants: Mapping[str, int]) -> tuple[int, Built]:
    for number, built in enumerate(record.kernels):
        if built.index == launch.index and built.constants == constants:
            return number, built
    raise MalformedSolution(launch.field, f"nothing was compiled for the constants {constants}")


def _check_multiples(launch: Launch, options: TritonOptions, built: Built) -> None:
    # Compiled for multiples of 16, another number would be read as one.
    arguments = dict(zip(built.parameters, launch.arguments, strict=False))
    for name in options.multiples_of_16:
        argument = arguments.get(name)
        if argument is not None and isinstance(argument.value, int) and argument.value % 16:
            reason = f"{name!r} is {argument.value} here, which is no multiple of 16"
            raise MalformedSolution(f"{launch.field}.triton.multiples_of_16", reason)


def _complete(launch: Launch, built: Built, cubin: str, hidden: tuple[Argument, ...]) -> Launch:
    x, y, z = launch.grid
    return replace(
        launch,
        kernel=built.entry,
        cubin=cubin,
        grid=(x * built.ctas, y, z),
        block=(THREADS_PER_WARP * built.warps, 1, 1),
        shared_bytes=built.shared_bytes,
        cluster=(built.ctas, 1, 1) if built.ctas > 1 else None,
        arguments=launch.arguments + hidden,
    )
