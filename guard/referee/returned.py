"""Returned tensors: what a runner says of them, checked, and read where they lie.

Start at `mapped`. Not here: outputs that are written where they were passed (`slots`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from guard.asks import Returned
from guard.domain.problem import concrete_shape
from guard.ports import Device
from guard.referee.reference import torch_dtype
from guard.referee.runners import RunnerFailed
from guard.referee.slots import Layout


def mapped(device: Device, pid: int, layout: Layout, outputs: Sequence[Returned]) -> list[Tensor]:
    """The returned outputs of one call, in the definition's order.

    Raises:
        RunnerFailed: a wrong number, shape or dtype, or nothing lies there.
    """
    _check_declared(layout, outputs)
    try:
        return [device.borrow(pid, one) for one in outputs]
    except ValueError as error:
        message = f"a returned tensor cannot be read: {error}"
        raise RunnerFailed("RUNTIME_ERROR", message) from error


def _check_declared(layout: Layout, outputs: Sequence[Returned]) -> None:
    declared = layout.definition.outputs
    if len(outputs) != len(declared):
        raise RunnerFailed("INCORRECT_SHAPE", f"{len(outputs)} outputs were returned")
    for (name, spec), one in zip(declared.items(), outputs, strict=True):
        shape = concrete_shape(spec, layout.sizes)
        if one.shape != shape:
            message = f"output {name!r} has shape {list(one.shape)}, not {list(shape)}"
            raise RunnerFailed("INCORRECT_SHAPE", message)
        if getattr(torch, one.dtype, None) is not torch_dtype(spec.dtype):
            message = f"output {name!r} is {one.dtype}, not {spec.dtype}"
            raise RunnerFailed("INCORRECT_DTYPE", message)
