"""Launch plans before any workload is known: the syntax, and what a language allows.

Start at `check_plan`. Not here: values (`guard.launch`).
"""

from collections.abc import Iterator
from math import prod

from guard.domain.errors import MalformedSolution
from guard.domain.solution import Choice, KernelLaunch, LaunchPlan, TritonOptions, Workspace
from guard.launch_arguments import IDENTIFIER, check_argument, check_expression

MAX_COMPILED = 64
"""Kernels that one Triton plan may have compiled ahead: about a quarter of a second each."""


def check_plan(plan: LaunchPlan) -> None:
    """Check the syntax of every field.

    Raises:
        MalformedSolution: the field and the reason.
    """
    for name, size in plan.workspaces.items():
        _check_name("launch_plan.workspaces", name)
        written = size.size_bytes if isinstance(size, Workspace) else size
        check_expression(f"launch_plan.workspaces.{name}", written)
    for name, written_map in plan.tensor_maps.items():
        _check_name("launch_plan.tensor_maps", name)
        if name in plan.workspaces:
            field = f"launch_plan.tensor_maps.{name}"
            raise MalformedSolution(field, "a workspace has this name")
        for part in ("dims", "strides", "box", "element_strides"):
            for expression in getattr(written_map, part) or ():
                check_expression(f"launch_plan.tensor_maps.{name}.{part}", expression)
    for i, launch in enumerate(plan.kernels):
        _check_launch(f"launch_plan.kernels[{i}]", launch)


def check_cuda_plan(plan: LaunchPlan) -> None:
    """Refuse what belongs to Triton alone.

    Raises:
        MalformedSolution: the field and the reason.
    """
    check_plan(plan)
    for i, launch in enumerate(plan.kernels):
        field = f"launch_plan.kernels[{i}]"
        if launch.triton is not None:
            raise MalformedSolution(f"{field}.triton", "only language 'triton' has it")
        if launch.block is None:
            raise MalformedSolution(f"{field}.block", "language 'cuda' needs it")


def check_triton_plan(plan: LaunchPlan) -> None:
    """Refuse what Triton's compiler decides itself, and what it could not know.

    Raises:
        MalformedSolution: the field and the reason.
    """
    check_plan(plan)
    if plan.tensor_maps:
        reason = "Triton makes its own: use tl.make_tensor_descriptor in the kernel"
        raise MalformedSolution("launch_plan.tensor_maps", reason)
    compiled = 0
    for i, launch in enumerate(plan.kernels):
        field = f"launch_plan.kernels[{i}]"
        _refuse_set(field, launch)
        _check_typed(f"{field}.arguments", launch)
        options = launch.triton or TritonOptions()
        choices = (c for c in options.constants.values() if isinstance(c, Choice))
        compiled += prod(len(choice.among) for choice in choices)
        if compiled > MAX_COMPILED:
            reason = f"the plan would compile more than {MAX_COMPILED} kernels"
            raise MalformedSolution(f"{field}.triton.constants", reason)


def _refuse_set(field: str, launch: KernelLaunch) -> None:
    default = {"block": None, "shared_bytes": "0", "cluster": None, "cooperative": False}
    for name, value in default.items():
        if getattr(launch, name) != value:
            reason = "Triton's compiler decides it (triton.num_warps, triton.num_ctas)"
            raise MalformedSolution(f"{field}.{name}", reason)


def _check_typed(field: str, launch: KernelLaunch) -> None:
    for text in launch.arguments:
        if ":" not in text:
            reason = (
                f"{text!r} has no type, and Triton compiles before there are tensors; "
                f"write such as bfloat16*:{text}, or float32:{text} for a scalar"
            )
            raise MalformedSolution(field, reason)


def _check_launch(field: str, launch: KernelLaunch) -> None:
    _check_name(f"{field}.kernel", launch.kernel)
    for name, expressions in _expressions(launch):
        for expression in expressions:
            check_expression(f"{field}.{name}", expression)
    for text in launch.arguments:
        check_argument(f"{field}.arguments", text)
    if launch.triton is not None:
        _check_triton(f"{field}.triton", launch.triton)


def _expressions(launch: KernelLaunch) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "grid", launch.grid
    yield "block", launch.block or ()
    yield "cluster", launch.cluster or ()
    yield "shared_bytes", (launch.shared_bytes,)
    yield "when", (launch.when,)


def _check_triton(field: str, options: TritonOptions) -> None:
    known: list[str] = []
    for name, constant in options.constants.items():
        where = f"{field}.constants.{name}"
        _check_name(f"{field}.constants", name)
        if isinstance(constant, Choice):
            check_expression(where, constant.value)
            if len(set(constant.among)) != len(constant.among):
                raise MalformedSolution(f"{where}.among", "a value appears twice")
        else:
            _check_known(where, constant, known)
        known.append(name)
    for part in ("num_warps", "num_stages", "num_ctas"):
        _check_known(f"{field}.{part}", getattr(options, part), known)
    for name in options.multiples_of_16:
        _check_name(f"{field}.multiples_of_16", name)


def _check_known(field: str, expression: str, constants: list[str]) -> None:
    for name in check_expression(field, expression):
        if name not in constants:
            reason = (
                f"{name!r} is no constant written before it, and nothing else is known when the "
                'kernel is compiled; {"value": EXPR, "among": [numbers]} chooses by the shape'
            )
            raise MalformedSolution(field, reason)


def _check_name(field: str, name: str) -> None:
    if not IDENTIFIER.fullmatch(name):
        raise MalformedSolution(field, f"{name!r} is not an identifier")
