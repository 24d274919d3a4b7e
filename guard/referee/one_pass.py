"""A reference with its variances taken in one pass: E[x²] − E[x]², which loses digits.

Far from zero both terms are large and nearly equal. The textbook form overtakes many a kernel
author; it is offered to a problem as a wrong answer, in the precision that the reference uses.

    reference under `OnePass` -> the same outputs, variances replaced

Start at `OnePass`. It knows torch's functions for variances and normalisations, and a variance
written out: a mean, subtracted from what it is the mean of, squared, and averaged or summed. Not
here: a root mean square, from which nothing is subtracted, so nothing is lost.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

_F = torch.nn.functional
_MEANS = (torch.mean, Tensor.mean)
_SUMS = (torch.sum, Tensor.sum)
_MINUS = (torch.sub, Tensor.sub, torch.subtract, Tensor.subtract, Tensor.__sub__)
_TIMES = (torch.mul, Tensor.mul, torch.multiply, Tensor.multiply, Tensor.__mul__)
_SQUARES = (torch.square, Tensor.square)
_POWERS = (torch.pow, Tensor.pow, Tensor.__pow__)
_WORDS = {
    "mean", "var", "std", "var_mean", "std_mean", "layer_norm", "group_norm", "batch_norm",
    "instance_norm", "native_layer_norm",
}  # fmt: skip
_NORMS = {"LayerNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"}


def averages(reference: str) -> bool:
    """Whether this source takes a mean or a variance, so that inputs far from zero may tell."""
    words = _WORDS | _NORMS
    for node in ast.walk(ast.parse(reference)):
        named = getattr(node, "attr", None) or getattr(node, "id", None)
        if isinstance(node, ast.Attribute | ast.Name) and named in words:
            return True
    return False


class OnePass(TorchFunctionMode):
    """Runs torch code with every variance it recognises taken in one pass."""

    def __init__(self) -> None:
        super().__init__()
        self.used = False
        # By the identity of a result, which is kept, so that no other one takes its place.
        self._means: dict[int, tuple[Tensor, Tensor]] = {}
        self._centred: dict[int, tuple[Tensor, Tensor]] = {}
        self._squares: dict[int, tuple[Tensor, Tensor]] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func`, or what stands in for it."""
        given = dict(kwargs or {})
        instead = _INSTEAD.get(func)
        if instead is not None:
            self.used = True
            return instead(*args, **given)
        x = args[0] if args else given.get("input")
        if func in (*_MEANS, *_SUMS) and id(x) in self._squares:
            self.used = True
            whole = self._squares[id(x)][1]
            return _spread(func, whole, args[1:], given)
        result = func(*args, **given)
        if isinstance(x, Tensor) and isinstance(result, Tensor):
            self._follow(func, x, args, result)
        return result

    def _follow(
        self, func: Callable[..., Any], x: Tensor, args: Sequence[Any], result: Tensor
    ) -> None:
        """Remember what a result is, if it is a step towards a variance."""
        other = args[1] if len(args) > 1 else None
        if func in _MEANS:
            self._means[id(result)] = (result, x)
        elif func in _MINUS and id(other) in self._means and self._means[id(other)][1] is x:
            self._centred[id(result)] = (result, x)
        elif id(x) in self._centred and _squared(func, x, other):
            self._squares[id(result)] = (result, self._centred[id(x)][1])


def _squared(func: Callable[..., Any], x: Tensor, other: Any) -> bool:
    doubled = func in _POWERS and not isinstance(other, Tensor) and other == 2
    return func in _SQUARES or doubled or (func in _TIMES and other is x)


def _spread(
    func: Callable[..., Any], x: Tensor, rest: Sequence[Any], given: Mapping[str, Any]
) -> Tensor:
    """The mean (or the sum) of squared distances to the mean, from sums of `x` and its squares."""
    squares: Tensor = func(x * x, *rest, **given)
    plain: Tensor = func(x, *rest, **given)
    count = x.numel() / max(1, plain.numel()) if func in _SUMS else 1.0
    return (squares - plain * plain / count).clamp_min(0.0)


def _variance(
    x: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
    **_: Any,
) -> Tensor:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = correction if correction is not None else 0.0 if unbiased is False else 1.0
    dims = tuple(range(x.dim())) if dim is None else dim
    total, squares = x.sum(dims, keepdim=keepdim), (x * x).sum(dims, keepdim=keepdim)
    count = x.numel() / max(1, total.numel())
    return ((squares - total * total / count) / (count - less)).clamp_min(0.0)


def _deviation(*args: Any, **kwargs: Any) -> Tensor:
    return _variance(*args, **kwargs).sqrt()


def _mean_of(x: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False) -> Tensor:
    dims = tuple(range(x.dim())) if dim is None or isinstance(dim, bool) else dim
    return x.mean(dims, keepdim=keepdim)


def _variance_and_mean(x: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    place = {name: kwargs[name] for name in ("dim", "keepdim") if name in kwargs}
    return _variance(x, *args, **kwargs), _mean_of(x, *args, **place)


def _deviation_and_mean(x: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    variance, mean = _variance_and_mean(x, *args, **kwargs)
    return variance.sqrt(), mean


def _normalised(x: Tensor, dims: Sequence[int], eps: float) -> Tensor:
    centred: Tensor = x - x.mean(list(dims), keepdim=True)
    return centred * (_variance(x, dims, False, True) + eps).rsqrt()


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _layer_norm(
    x: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *_: Any,
) -> Tensor:
    dims = list(range(x.dim() - len(normalized_shape), x.dim()))
    return _scaled(_normalised(x, dims, eps), weight, bias)


def _group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *_: Any,
) -> Tensor:
    grouped = x.reshape(x.shape[0], num_groups, -1)
    return _per_channel(_normalised(grouped, [2], eps).reshape(x.shape), weight, bias)


def _batch_norm(
    x: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    *_: Any,
) -> Tensor:
    if not training and running_mean is not None and running_var is not None:
        return _F.batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    dims = [d for d in range(x.dim()) if d != 1]
    return _per_channel(_normalised(x, dims, eps), weight, bias)


def _per_channel(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    shape = [1, -1] + [1] * (x.dim() - 2)
    parts = [None if part is None else part.reshape(shape) for part in (weight, bias)]
    return _scaled(x, *parts)


_INSTEAD: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((torch.var, Tensor.var), _variance),
    **dict.fromkeys((torch.std, Tensor.std), _deviation),
    torch.var_mean: _variance_and_mean,
    torch.std_mean: _deviation_and_mean,
    **dict.fromkeys((_F.layer_norm, torch.layer_norm), _layer_norm),
    **dict.fromkeys((_F.group_norm, torch.group_norm), _group_norm),
    _F.batch_norm: _batch_norm,
}
