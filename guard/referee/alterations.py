"""How input classes alter plain random values, in place.

    drawn tensor × generator -> the same tensor, harder for some kernels

Start at the class's function. Not here: which inputs are altered in which class (`inputs`).
"""

import torch
from torch import Generator, Tensor

from guard.domain.problem import Tolerance

ROW_SHIFT = 8.0
"""Standard deviation of a row's offset in class `shifted`."""
ROW_OCTAVES = 7
"""Rows of class `wide` are scaled by powers of two up to this one, both ways."""
KEPT = 0.1
"""Share of elements that class `sparse` keeps."""
NORM_SPREAD = 0.25
"""Standard deviation of norm weights and biases outside class `listed`."""
UNITS = 4.0
"""Steps of a tensor's own type that its spread still covers in class `far`."""


def _rows(tensor: Tensor) -> Tensor:
    shape = (*tensor.shape[:-1], 1) if tensor.dim() else ()
    return torch.empty(shape, dtype=tensor.dtype, device=tensor.device)


def shift_rows(tensor: Tensor, generator: Generator) -> None:
    """Give each row an offset of its own."""
    tensor.add_(_rows(tensor).normal_(0.0, ROW_SHIFT, generator=generator))


def scale_rows(tensor: Tensor, generator: Generator) -> None:
    """Give each row a power-of-two scale of its own.

    The scales are dealt out evenly, not drawn: both ends are among them however few the rows are.
    """
    rows = _rows(tensor)
    count = max(rows.numel(), 2)
    octaves = torch.linspace(-ROW_OCTAVES, ROW_OCTAVES, count, device=rows.device).round_()
    dealt = octaves[torch.randperm(count, generator=generator, device=rows.device)]
    tensor.mul_(rows.copy_(dealt[: rows.numel()].exp2_().reshape(rows.shape)))


def thin_out(tensor: Tensor, generator: Generator) -> None:
    """Set most elements, and some whole rows, to zero."""
    tensor.mul_(torch.empty_like(tensor).bernoulli_(KEPT, generator=generator))
    tensor.mul_(_rows(tensor).bernoulli_(1.0 - KEPT, generator=generator))


def spread(tensor: Tensor, generator: Generator) -> None:
    """Move norm weights off one and norm biases off zero: leaving them out would pass otherwise."""
    tensor.add_(torch.empty_like(tensor).normal_(0.0, NORM_SPREAD, generator=generator))


def leave(tensor: Tensor, generator: Generator) -> None:
    """Alter nothing."""


def push_away(tensor: Tensor, generator: Generator, tolerance: Tolerance) -> None:
    """Move the whole tensor far from zero, on either side.

    A variance taken in one pass errs by some eps · offset², one in two passes by eps · offset.
    The offset lies between those at which either leaves the tolerance, and never so far that the
    tensor's own type rounds the spread away.
    """
    # Sixteen-bit inputs are usually summed in float32.
    summed = torch.promote_types(tensor.dtype, torch.float32)
    allowed = (tolerance.max_atol + tolerance.max_rtol) / torch.finfo(summed).eps
    between = (allowed**0.5 * allowed / 2) ** 0.5
    offset = min(between, 1 / (UNITS * torch.finfo(tensor.dtype).eps))
    drawn = torch.empty((), dtype=torch.float32, device=tensor.device)
    away = drawn.uniform_(0.75, 1.5, generator=generator) * offset
    side = torch.empty_like(away).bernoulli_(0.5, generator=generator) * 2 - 1
    tensor.add_((away * side).to(tensor.dtype))
