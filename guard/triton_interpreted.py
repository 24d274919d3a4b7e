"""A Triton launch plan on a CPU: the same launches, by Triton's interpreter.

It verifies what would be launched on a GPU; it says nothing about time, and the candidate's Python
does run. Start at `InterpretedPlan.bind`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from guard.domain.errors import MalformedSolution
from guard.domain.solution import LaunchPlan, TritonOptions
from guard.launch import lay_out
from guard.launch_values import Argument, Launch
from guard.ports import Call
from guard.triton_plan import chosen_constants


@dataclass(frozen=True)
class InterpretedPlan:
    """The candidate's module and its plan."""

    plan: LaunchPlan
    module: ModuleType

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Fix the arguments of every launch."""
        torch: Any = import_module("torch")
        named = dict(zip(names, (*inputs, *outputs), strict=True))
        tensors = {n: v for n, v in named.items() if not isinstance(v, (bool, int, float))}
        scalars = {n: v for n, v in named.items() if n not in tensors}
        layout = lay_out(self.plan, tensors, scalars, axes)
        spaces = {
            name: torch.randint(0, 256, (size,), dtype=torch.uint8)
            for name, size in layout.workspaces.items()
        }
        steps = [spaces[name].zero_ for name in layout.zeroed]
        for launch in layout.launches:
            if not launch.is_empty:
                steps.append(self._step(launch, {**tensors, **spaces}, axes))

        def call() -> None:
            for step in steps:
                step()

        return call

    def _step(self, launch: Launch, tensors: Mapping[str, Any], axes: Mapping[str, int]) -> Any:
        function: Any = getattr(self.module, launch.kernel, None)
        if not hasattr(function, "arg_names"):
            reason = f"the source has no @triton.jit function {launch.kernel!r}"
            raise MalformedSolution(f"{launch.field}.kernel", reason)
        options = self.plan.kernels[launch.index].triton or TritonOptions()
        constants = chosen_constants(f"{launch.field}.triton", options, axes)
        names: Sequence[str] = [n for n in function.arg_names if n not in constants]
        values = [_value(argument, tensors) for argument in launch.arguments]
        if len(names) != len(values):
            reason = f"the kernel takes {', '.join(names)}; the plan gives {len(values)} arguments"
            raise MalformedSolution(f"{launch.field}.arguments", reason)
        keywords = dict(zip(names, values, strict=True))
        return partial(function[launch.grid], **keywords, **constants)


def _value(argument: Argument, tensors: Mapping[str, Any]) -> Any:
    if argument.kind != "pointer":
        return argument.value
    torch: Any = import_module("torch")
    return tensors[str(argument.value)].view(getattr(torch, argument.dtype))
