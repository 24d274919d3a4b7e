"""Run torch code in float64 although it asks for narrower types inside.

Only conversions and creations are redirected; what the code computes stays its own. It must not
be used on anything but a reference.

Start at `InFloat64`. Not here: whether the float64 run decides (`reference`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

Argument = Tensor | bool | int | float
"""What a reference is called with."""
_NARROW = {torch.float32, torch.float16, torch.bfloat16}
_WIDENED = _NARROW | {torch.float8_e4m3fn, torch.float8_e5m2}
_CASTS = {torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16}


def widen(argument: Argument) -> Argument:
    """A floating tensor in float64; anything else as it is."""
    if isinstance(argument, Tensor) and argument.dtype in _WIDENED:
        return argument.double()
    return argument


class InFloat64(TorchFunctionMode):
    """Turns every conversion to a narrower floating type into one to float64.

    Conversions to 8-bit types stay: they are the meaning of a quantised reference, not its
    precision.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func` with float64 wherever a narrower dtype is named."""
        named = kwargs or {}
        if func is torch.Tensor.view and any(isinstance(a, torch.dtype) for a in args):
            raise TypeError("bits are read as another type")
        if func in _CASTS:
            func = torch.Tensor.double
        return func(*map(_wider, args), **{key: _wider(value) for key, value in named.items()})


def _wider(value: Any) -> Any:
    return torch.float64 if isinstance(value, torch.dtype) and value in _NARROW else value
