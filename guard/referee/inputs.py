"""Draw the inputs of one call, in place, into tensors that the referee owns.

Every call gets fresh values from a generator whose seed stays in the referee. Runs in the referee
only: a runner sees the values, never how they came about.

    Definition × Workload × InputClass  ->  filled tensors, and the arguments in order

Start at `fill`. Class `listed` draws as the problem's format describes; the other classes alter
plain random inputs only, where no meaning breaks. Not here: the name rules (`roles`), the reading
of stored tensors (`stored`), what the classes do (`alterations`).
"""

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import torch
from torch import Generator, Tensor

from guard.domain.problem import (
    CustomInput,
    Definition,
    SafetensorsInput,
    ScalarInput,
    TensorSpec,
    Workload,
    concrete_shape,
)
from guard.referee.alterations import leave, push_away, scale_rows, shift_rows, spread, thin_out
from guard.referee.float64 import Argument
from guard.referee.one_pass import averages
from guard.referee.reference import FOREIGN_ERRORS, LISTED, ReferenceFailed, torch_dtype
from guard.referee.roles import Role, role
from guard.referee.stored import load

INTEGER_LIMIT = 1024
FLOAT8_LIMIT = 2.0
POSITIVE_FLOOR = 0.1
_WIDE_FLOATS = {torch.float64, torch.float32, torch.float16, torch.bfloat16}
_FLOAT8 = {torch.float8_e4m3fn, torch.float8_e5m2}

Custom = Callable[..., Any]


class InputClass(StrEnum):
    """A family of random inputs."""

    LISTED = LISTED
    """As the format describes."""
    SHIFTED = "shifted"
    """Each row has its own offset."""
    WIDE = "wide"
    """Each row has its own power-of-two scale."""
    SPARSE = "sparse"
    """Most elements, and some whole rows, are exactly zero."""
    FAR = "far"
    """The whole tensor lies far from zero; only where the reference takes means or variances."""


def classes(definition: Definition, workload: Workload) -> tuple[InputClass, ...]:
    """The classes that differ from one another on this workload; `listed` comes first."""
    sizes = definition.resolve(workload.axes)
    for name, spec in definition.inputs.items():
        random = workload.inputs[name].type == "random" and spec.shape is not None
        if random and _role(definition, name, concrete_shape(spec, sizes)) in _ALTERABLE:
            far = averages(definition.reference)
            return tuple(c for c in InputClass if far or c is not InputClass.FAR)
    return (InputClass.LISTED,)


def fill(
    definition: Definition,
    workload: Workload,
    sizes: Mapping[str, int],
    tensors: Mapping[str, Tensor],
    *,
    generator: Generator,
    input_class: InputClass = InputClass.LISTED,
    custom: Custom | None = None,
    folder: str = "",
) -> list[Argument]:
    """Fill `tensors` and return the arguments in definition order, with all scalars.

    Inputs with a shape that are not among `tensors` are left out, unless a generator draws all.

    A tensor may have an axis of slots before its own: then every slot gets values of its own.
    Not so with a custom generator, which draws one slot.

    `sizes` holds every axis. The generator lives on the tensors' device. `custom` is
    `Reference.custom`; `folder` is where stored tensors are looked up.

    Raises:
        ReferenceFailed: the custom generator or a stored tensor is unusable.
    """
    if is_custom(workload):
        return _fill_custom(definition, sizes, tensors, generator, custom)
    arguments: list[Argument] = []
    for name, spec in definition.inputs.items():
        source = workload.inputs[name]
        if spec.shape is not None and name not in tensors:
            continue
        if isinstance(source, ScalarInput):
            arguments.append(as_number(source.value, spec.dtype))
        elif spec.shape is None:
            arguments.append(_random_number(spec, generator))
        elif isinstance(source, SafetensorsInput):
            shape = concrete_shape(spec, sizes)
            wanted = tensors[name] if tensors[name].shape == shape else tensors[name][0]
            tensors[name].copy_(load(folder, source, wanted))
            arguments.append(tensors[name])
        else:
            shape = concrete_shape(spec, sizes)
            # The last axis must be the tensor's own, never that of the slots.
            target = tensors[name] if shape else tensors[name].unsqueeze(-1)
            part = _role(definition, name, shape)
            _draw(part, target, generator, input_class)
            # A gain or an offset of each feature is no row of data.
            if input_class is InputClass.FAR and part is Role.PLAIN and len(shape) > 1:
                push_away(target, generator, workload.tolerance)
            arguments.append(tensors[name])
    return arguments


def is_custom(workload: Workload) -> bool:
    """Whether the problem's own generator draws the inputs, one slot at a time."""
    return any(isinstance(source, CustomInput) for source in workload.inputs.values())


def as_number(value: bool | int | float, dtype: str) -> bool | int | float:
    """A Python number of the kind that the dtype says."""
    if dtype == "bool":
        return bool(value)
    return int(value) if dtype.startswith("int") else float(value)


def _random_number(spec: TensorSpec, generator: Generator) -> bool | int | float:
    drawn = torch.empty((), dtype=torch_dtype(spec.dtype), device=generator.device)
    _draw_by_dtype(drawn, generator)
    return as_number(drawn.item(), spec.dtype)


def _draw(part: Role | None, tensor: Tensor, generator: Generator, input_class: InputClass) -> None:
    if part is None:
        _draw_by_dtype(tensor, generator)
        return
    _DRAWS[part](tensor, generator)
    if input_class is not InputClass.LISTED and part in _ALTERABLE:
        _ALTERABLE[part][input_class](tensor, generator)


def _role(definition: Definition, name: str, shape: tuple[int, ...]) -> Role | None:
    spec = definition.inputs[name]
    if torch_dtype(spec.dtype) not in _WIDE_FLOATS:
        return None
    if definition.op_type == "sampling" and name == "probs":
        return Role.PROBABILITIES
    return role(name, spec.description, shape)


def _draw_by_dtype(tensor: Tensor, generator: Generator) -> None:
    if tensor.dtype in _WIDE_FLOATS:
        tensor.normal_(generator=generator)
    elif tensor.dtype in _FLOAT8:
        drawn = torch.empty(tensor.shape, dtype=torch.float32, device=tensor.device)
        drawn.normal_(generator=generator)
        tensor.copy_(drawn.clamp_(-FLOAT8_LIMIT, FLOAT8_LIMIT))
    elif tensor.dtype is torch.float4_e2m1fn_x2:
        # Two 4-bit codes a byte; every code is a number.
        tensor.view(torch.uint8).random_(0, 256, generator=generator)
    elif tensor.dtype is torch.bool:
        tensor.random_(0, 2, generator=generator)
    elif tensor.dtype is torch.int8:
        tensor.random_(-128, 128, generator=generator)
    else:
        tensor.random_(-INTEGER_LIMIT, INTEGER_LIMIT, generator=generator)


def _weight(tensor: Tensor, generator: Generator) -> None:
    tensor.normal_(0.0, 1.0 / math.sqrt(max(tensor.shape[-1], 1)), generator=generator)


def _causal_mask(tensor: Tensor, _: Generator) -> None:
    tensor.fill_(torch.finfo(tensor.dtype).min).triu_(1)


def _angles(tensor: Tensor, generator: Generator) -> Tensor:
    return tensor.normal_(generator=generator).clamp_(-math.pi, math.pi)


def _positive(tensor: Tensor, generator: Generator) -> None:
    tensor.normal_(generator=generator).abs_().add_(POSITIVE_FLOOR)


def _probabilities(tensor: Tensor, generator: Generator) -> None:
    logits = torch.empty(tensor.shape, dtype=torch.float32, device=tensor.device)
    tensor.copy_(torch.softmax(logits.normal_(generator=generator), dim=-1))


_Draw = Callable[[Tensor, Generator], object]
_DRAWS: dict[Role | None, _Draw] = {
    Role.PLAIN: lambda t, g: t.normal_(generator=g),
    Role.WEIGHT: _weight,
    Role.NORM_WEIGHT: lambda t, _: t.fill_(1.0),
    Role.NORM_BIAS: lambda t, _: t.zero_(),
    Role.CAUSAL_MASK: _causal_mask,
    Role.BINARY_MASK: lambda t, g: t.random_(0, 2, generator=g),
    Role.COSINE: lambda t, g: _angles(t, g).cos_(),
    Role.SINE: lambda t, g: _angles(t, g).sin_(),
    Role.POSITIVE: _positive,
    Role.DECAY_SUM: lambda t, g: t.uniform_(-0.1, 0.0, generator=g).cumsum_(-1),
    Role.DECAY_LOG: lambda t, g: t.uniform_(-5.0, -1.0, generator=g),
    Role.DECAY: lambda t, g: t.uniform_(-1.0, -0.001, generator=g),
    Role.DECAY_GATE: lambda t, g: t.uniform_(-5.0, 0.0, generator=g),
    Role.PROBABILITIES: _probabilities,
}
_PLAIN_CLASSES: dict[InputClass, _Draw] = {
    InputClass.SHIFTED: shift_rows,
    InputClass.WIDE: scale_rows,
    InputClass.SPARSE: thin_out,
    InputClass.FAR: leave,
}
_SPREAD_CLASSES: dict[InputClass, _Draw] = dict.fromkeys(_PLAIN_CLASSES, spread)
_ALTERABLE: dict[Role | None, dict[InputClass, _Draw]] = {
    Role.PLAIN: _PLAIN_CLASSES,
    Role.NORM_WEIGHT: _SPREAD_CLASSES,
    Role.NORM_BIAS: _SPREAD_CLASSES,
}


def _fill_custom(
    definition: Definition,
    sizes: Mapping[str, int],
    tensors: Mapping[str, Tensor],
    generator: Generator,
    custom: Custom | None,
) -> list[Argument]:
    if custom is None:
        raise ReferenceFailed("the workload has custom inputs, the definition no generator")
    drawn = _run_custom(custom, sizes, generator)
    arguments: list[Argument] = []
    for name, spec in definition.inputs.items():
        if not isinstance(drawn, Mapping) or name not in drawn:
            raise ReferenceFailed(f"the custom generator gives no {name!r}")
        if spec.shape is None:
            arguments.append(_checked_number(name, drawn[name], spec.dtype))
        else:
            tensors[name].copy_(_checked_tensor(name, drawn[name], tensors[name]))
            arguments.append(tensors[name])
    return arguments


def _run_custom(custom: Custom, sizes: Mapping[str, int], generator: Generator) -> Any:
    # The generator draws from torch's global state: seed it from ours, and put it back.
    seed = torch.empty((), dtype=torch.int64, device=generator.device)
    seed.random_(0, 2**62, generator=generator)
    device = generator.device
    on_cuda = [device.index or 0] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=on_cuda), torch.no_grad():
        torch.manual_seed(int(seed.item()))
        try:
            return custom(dict(sizes), device)
        except FOREIGN_ERRORS as error:
            raise ReferenceFailed(
                f"the custom generator raised {type(error).__name__}: {error}"
            ) from error


def _checked_number(name: str, value: Any, dtype: str) -> bool | int | float:
    if not isinstance(value, bool | int | float):
        raise ReferenceFailed(f"the custom generator gives no number for {name!r}")
    return as_number(value, dtype)


def _checked_tensor(name: str, value: Any, wanted: Tensor) -> Tensor:
    if not isinstance(value, Tensor):
        raise ReferenceFailed(f"the custom generator gives no tensor for {name!r}")
    if value.shape != wanted.shape or value.dtype != wanted.dtype:
        raise ReferenceFailed(
            f"the custom generator gives {name!r} as {value.dtype} {tuple(value.shape)}, "
            f"not {wanted.dtype} {tuple(wanted.shape)}"
        )
    return value
