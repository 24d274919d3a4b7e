"""Compare outputs with their expected values on the device.

Every element counts. Large tensors are walked in chunks, so that comparing a tensor of some GiB
takes a few hundred MiB more (on a GPU, some GiB).

    actual × expected × Tolerance  ->  nine numbers  ->  Comparison

Start at `compare`; `_float_tally` holds the only inequality that matters. Not here: what the
numbers mean (`guard.verify`), where expected values come from (`reference`).
"""

import math
import struct

import torch
from torch import Tensor

from guard.domain.problem import Tolerance
from guard.referee import looks
from guard.referee.poison import bits_of, signed
from guard.verify import BEYOND, Comparison

CHUNK = {"cpu": 2**23}
"""Elements compared at once by kind of device: about 0.5 GiB of temporaries."""
MOST_CHUNK = 2**25
"""The same on any other device."""
_COUNTS = 7

_FLOAT4 = torch.float4_e2m1fn_x2
_FLOAT4_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Bitwise equality: NaN equals itself."""
    # Eight bytes at a time where the size allows: torch compares element by element.
    word = torch.int64 if a.numel() * a.itemsize % 8 == 0 else torch.uint8
    return bool(torch.equal(a.reshape(-1).view(word), b.reshape(-1).view(word)))


def count_nonfinite(tensor: Tensor, *, allow_negative_inf: bool = False) -> int:
    """How many elements are NaN or infinite, save an allowed -inf; waits for the device."""
    if not tensor.dtype.is_floating_point or tensor.dtype is _FLOAT4:
        return 0
    flat = tensor.reshape(-1)
    total = torch.zeros((), dtype=torch.int64, device=tensor.device)
    step = chunk(flat)
    for start in range(0, flat.numel(), step):
        part = flat[start : start + step]
        # Few operations exist for 8-bit types.
        part = part.float() if part.dtype.itemsize == 1 else part
        fine = part.isfinite()
        total += part.numel() - (fine | (part == -torch.inf) if allow_negative_inf else fine).sum()
    return int(total.item())


def compare(
    output: str,
    actual: Tensor,
    expected: Tensor,
    tolerance: Tolerance,
    *,
    pattern: int | None = None,
    call: str = "",
) -> Comparison:
    """Compare one output of one call with its expected value; waits for the device.

    `expected` has the same shape, in the same dtype or in float64. `pattern` is the poison that
    the buffer held before the call, or None in return style. Shapes are the caller's to check.
    """
    read = _tally(actual, expected, tolerance, pattern)
    elements, unwritten, nan, inf, nonfinite, matched, beyond = (int(n) for n in read[:_COUNTS])
    return Comparison(
        output=output, call=call, elements=elements, unwritten=unwritten, nan=nan, inf=inf,
        nonfinite=nonfinite, matched=matched, beyond=beyond,
        max_abs=read[_COUNTS], max_rel=read[_COUNTS + 1],
    )  # fmt: skip


def _tally(
    actual: Tensor, expected: Tensor, tolerance: Tolerance, pattern: int | None
) -> list[float]:
    """Seven counts and two largest errors over all chunks."""
    if actual.shape != expected.shape:
        raise ValueError(f"shape {tuple(actual.shape)} against {tuple(expected.shape)}")
    total = [0.0] * (_COUNTS + 2)
    flat, wanted = actual.reshape(-1), expected.reshape(-1)
    step = chunk(flat)
    for start in range(0, flat.numel(), step):
        part, want = flat[start : start + step], wanted[start : start + step]
        found = _chunk_tally(part, want, tolerance, pattern)
        counts = [a + b for a, b in zip(total[:_COUNTS], found[:_COUNTS], strict=True)]
        largest = [max(a, b) for a, b in zip(total[_COUNTS:], found[_COUNTS:], strict=True)]
        total = counts + largest
    return total


def chunk(tensor: Tensor) -> int:
    """Elements compared at once on this tensor's device."""
    return CHUNK.get(tensor.device.type, MOST_CHUNK)


def _chunk_tally(
    actual: Tensor, expected: Tensor, tolerance: Tolerance, pattern: int | None
) -> list[float]:
    x = _float4(actual) if actual.dtype is _FLOAT4 else actual
    y = _float4(expected) if expected.dtype is _FLOAT4 else expected
    floating = x.dtype.is_floating_point or y.dtype.is_floating_point
    if floating:
        seen = looks.within(x, y, tolerance)
        if seen is None:
            x, y = x.double(), y.double()
        told = _told_by_torch(x, y, tolerance) if seen is None else _told(seen)
        if found := _all_within(x.numel(), *told):
            return found
        x, y = x.double(), y.double()
    poison_left = _holds(actual, pattern)
    if actual.dtype is _FLOAT4:
        poison_left = poison_left.repeat_interleave(2)
    if floating:
        return _float_tally(x, y, tolerance, poison_left)
    return _integer_tally(_integers(x), _integers(y), tolerance, poison_left)


def _all_within(elements: int, outside: float, most: float, *largest: float) -> list[float]:
    """The tally where nothing is out of tolerance, else nothing.

    Most outputs are right, and asking first costs less than counting what there may be.
    """
    # Without the second question an infinite limit would let anything through.
    if outside or not math.isfinite(most):
        return []
    return [elements, 0, 0, 0, 0, elements, 0, *largest]


def _told(seen: Tensor) -> tuple[float, ...]:
    """What the referee's own kernel saw: a count, and floating numbers as their bits."""
    outside, *bits = seen.tolist()
    return (outside, *struct.unpack("3d", struct.pack("3q", *bits)))


def _told_by_torch(x: Tensor, y: Tensor, tolerance: Tolerance) -> tuple[float, ...]:
    """The same by operations of torch, on float64."""
    error = (x - y).abs_()
    size = y.abs()
    limit = size * tolerance.max_rtol + tolerance.max_atol
    asked = [(~(error <= limit)).any().double(), limit.amax(), *_largest(error, size, tolerance)]
    return tuple(torch.stack(asked).tolist())


def _float_tally(x: Tensor, y: Tensor, tolerance: Tolerance, poison_left: Tensor) -> list[float]:
    error = (x - y).abs_()
    size = y.abs()
    limit = size * tolerance.max_rtol + tolerance.max_atol
    finite = error.isfinite()
    # Without `finite`, an infinite limit would let anything through.
    matched = (error <= limit) & finite
    if tolerance.allow_negative_inf:
        matched |= (x == -torch.inf) & (y == -torch.inf)
    unwritten = poison_left & ~matched
    written_wrong = ~(matched | unwritten)
    nan = x.isnan() & written_wrong
    inf = x.isinf() & written_wrong
    beyond = ((error > limit * BEYOND) | ~y.isfinite()) & x.isfinite() & written_wrong
    error.masked_fill_(~finite | unwritten, 0.0)
    counts = (unwritten, nan, inf, nan | inf, matched, beyond)
    return _numbers(x.numel(), counts, error, size, tolerance)


def _integer_tally(x: Tensor, y: Tensor, tolerance: Tolerance, poison_left: Tensor) -> list[float]:
    # The difference of two int64 may need 64 unsigned bits: it wraps, and is read as unsigned.
    wrapped = torch.where(x > y, x - y, y - x)
    error = wrapped.double()
    error += (wrapped < 0) * 2.0**64
    size = y.double().abs_()
    limit = size * tolerance.max_rtol + tolerance.max_atol
    matched = error <= limit
    unwritten = poison_left & ~matched
    beyond = (error > limit * BEYOND) & ~unwritten
    never = torch.zeros_like(matched)
    error.masked_fill_(unwritten, 0.0)
    counts = (unwritten, never, never, never, matched, beyond)
    return _numbers(x.numel(), counts, error, size, tolerance)


def _numbers(
    elements: int,
    counts: tuple[Tensor, ...],
    error: Tensor,
    size: Tensor,
    tolerance: Tolerance,
) -> list[float]:
    summed = [count.sum().double() for count in counts]
    return [elements, *torch.stack([*summed, *_largest(error, size, tolerance)]).tolist()]


def _largest(error: Tensor, size: Tensor, tolerance: Tolerance) -> list[Tensor]:
    """The largest absolute and the largest relative error; overwrites `size`."""
    divisor = size.clamp_(min=tolerance.max_atol)
    # Zero expected and no atol: the relative error is then the absolute one, not a division by 0.
    divisor.masked_fill_(~(divisor > 0), 1.0)
    return [error.amax(), (error / divisor).amax()]


def _holds(tensor: Tensor, pattern: int | None) -> Tensor:
    bits = bits_of(tensor)
    if pattern is None:
        return torch.zeros_like(bits, dtype=torch.bool)
    return bits == signed(pattern, bits)


def as_floats(tensor: Tensor) -> Tensor:
    """The same numbers in a type that can be calculated with: float32, or float64 where needed."""
    if tensor.dtype is _FLOAT4:
        return _float4(tensor.reshape(-1)).reshape(tensor.shape[0], -1)
    if tensor.dtype.is_floating_point:
        return tensor if tensor.dtype is torch.float64 else tensor.float()
    return _integers(tensor).double()


def _integers(tensor: Tensor) -> Tensor:
    # A bool's byte may be neither 0 nor 1: reading it as bool would hide that.
    return (bits_of(tensor) if tensor.dtype is torch.bool else tensor).to(torch.int64)


def _float4(packed: Tensor) -> Tensor:
    """The two values of each byte, the low half first."""
    codes = bits_of(packed).to(torch.int64)
    values = torch.tensor(_FLOAT4_VALUES, dtype=torch.float64, device=packed.device)
    table = torch.cat([values, -values])
    return torch.stack([table[codes & 15], table[codes >> 4]], dim=-1).reshape(-1)
