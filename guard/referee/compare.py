"""Compare outputs with their expected values on the device, and poison buffers beforehand.

Every element counts. Large tensors are walked in chunks, so that comparing a tensor of some GiB
takes a few hundred MiB more (on a GPU, some GiB).

    actual × expected × Tolerance  ->  nine numbers  ->  Comparison

Start at `compare`; `_float_tally` holds the only inequality that matters. Not here: what the
numbers mean (`guard.verify`), where expected values come from (`reference`).
"""

import math
import secrets
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from guard.domain.problem import Tolerance
from guard.verify import BEYOND, Comparison

CHUNK = {"cpu": 2**23}
"""Elements compared at once by kind of device: about 0.5 GiB of temporaries."""
MOST_CHUNK = 2**25
"""The same on any other device."""
POISON_CHUNK = 2**27
"""Elements looked at for poison at once: 128 MiB of temporaries."""
_COUNTS = 7

# A quiet NaN's fixed bits, and how many payload bits are free below them. Quiet, because a
# signalling one may be altered by a plain copy through a register.
_NAN_BITS: dict[torch.dtype, tuple[int, int]] = {
    torch.float64: (0x7FF8 << 48, 51),
    torch.float32: (0x7FC0 << 16, 22),
    torch.float16: (0x7E00, 9),
    torch.bfloat16: (0x7FC0, 6),
    torch.float8_e5m2: (0x7E, 1),
    torch.float8_e4m3fn: (0x7F, 0),
}
_FLOAT4 = torch.float4_e2m1fn_x2
_FLOAT4_VALUES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_SAME_WIDTH = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def draw_pattern(dtype: torch.dtype, randbits: Callable[[int], int] = secrets.randbits) -> int:
    """Draw the poison for one element: its bits, as an unsigned number.

    Floating types get a NaN whose payload no arithmetic makes by itself (8-bit ones have hardly a
    choice), bool a byte that is neither 0 nor 1, integers random bits.
    """
    if dtype is torch.bool:
        return 2 + randbits(16) % 254
    width = dtype.itemsize * 8
    if dtype not in _NAN_BITS:
        return randbits(width)
    fixed, free = _NAN_BITS[dtype]
    # All zeros and all ones are the payloads of NaNs that processors make.
    payload: int = 1 + randbits(free + 16) % (2**free - 2) if free > 1 else randbits(16) % 2**free
    sign = randbits(16) % 2 << (width - 1)
    return sign | fixed | payload


def fresh_patterns(dtypes: Sequence[torch.dtype], before: Sequence[int | None]) -> tuple[int, ...]:
    """Draw a poison for each output, never the one before.

    So an element that is left as it was cannot hold the right value by luck twice.
    """
    found = []
    for number, dtype in enumerate(dtypes):
        last = before[number] if before else None
        pattern = draw_pattern(dtype)
        while pattern == last:
            pattern = draw_pattern(dtype)
        found.append(pattern)
    return tuple(found)


def unmistakable(dtype: torch.dtype) -> bool:
    """Whether no right output holds a poison of this type."""
    return dtype is torch.bool or (dtype.is_floating_point and dtype.itemsize > 1)


def same_bits(a: Tensor, b: Tensor) -> bool:
    """Bitwise equality: NaN equals itself."""
    # Eight bytes at a time where the size allows: torch compares element by element.
    word = torch.int64 if a.numel() * a.itemsize % 8 == 0 else torch.uint8
    return bool(torch.equal(a.reshape(-1).view(word), b.reshape(-1).view(word)))


def poison(tensor: Tensor, pattern: int) -> None:
    """Fill `tensor` with the pattern."""
    bits = _bits(tensor)
    bits.fill_(_signed(pattern, bits))


def poisoned(tensor: Tensor, pattern: int) -> Tensor:
    """How many elements hold the pattern, as a 0-D tensor on the device; does not wait."""
    bits = _bits(tensor)
    if bits.is_contiguous():
        bits = bits.reshape(-1)
    # Rows with gaps are few enough as they are, and making them one would copy them.
    value = _signed(pattern, bits)
    parts = [(part == value).sum() for part in torch.split(bits, POISON_CHUNK)]
    return torch.stack(parts).sum()


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
        x, y = x.double(), y.double()
        if found := _all_within(x, y, tolerance):
            return found
    poison_left = _holds(actual, pattern)
    if actual.dtype is _FLOAT4:
        poison_left = poison_left.repeat_interleave(2)
    if floating:
        return _float_tally(x, y, tolerance, poison_left)
    return _integer_tally(_integers(x), _integers(y), tolerance, poison_left)


def _all_within(x: Tensor, y: Tensor, tolerance: Tolerance) -> list[float]:
    """The tally where nothing is out of tolerance, else nothing.

    Most outputs are right, and asking first costs less than counting what there may be.
    """
    error = (x - y).abs_()
    size = y.abs()
    limit = size * tolerance.max_rtol + tolerance.max_atol
    asked = [(error <= limit).all().double(), limit.amax(), *_largest(error, size, tolerance)]
    within, most, *largest = torch.stack(asked).tolist()
    # Without the second question an infinite limit would let anything through.
    if not within or not math.isfinite(most):
        return []
    return [x.numel(), 0, 0, 0, 0, x.numel(), 0, *largest]


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
    bits = _bits(tensor)
    if pattern is None:
        return torch.zeros_like(bits, dtype=torch.bool)
    return bits == _signed(pattern, bits)


def _bits(tensor: Tensor) -> Tensor:
    return tensor.view(same_width(tensor.dtype))


def same_width(dtype: torch.dtype) -> torch.dtype:
    """The integer type whose elements are as wide."""
    return _SAME_WIDTH[dtype.itemsize]


def _signed(pattern: int, bits: Tensor) -> int:
    width = bits.dtype.itemsize * 8
    wraps = bits.dtype.is_signed and pattern >= 2 ** (width - 1)
    return pattern - 2**width if wraps else pattern


def as_floats(tensor: Tensor) -> Tensor:
    """The same numbers in a type that can be calculated with: float32, or float64 where needed."""
    if tensor.dtype is _FLOAT4:
        return _float4(tensor.reshape(-1)).reshape(tensor.shape[0], -1)
    if tensor.dtype.is_floating_point:
        return tensor if tensor.dtype is torch.float64 else tensor.float()
    return _integers(tensor).double()


def _integers(tensor: Tensor) -> Tensor:
    # A bool's byte may be neither 0 nor 1: reading it as bool would hide that.
    return (_bits(tensor) if tensor.dtype is torch.bool else tensor).to(torch.int64)


def _float4(packed: Tensor) -> Tensor:
    """The two values of each byte, the low half first."""
    codes = _bits(packed).to(torch.int64)
    values = torch.tensor(_FLOAT4_VALUES, dtype=torch.float64, device=packed.device)
    table = torch.cat([values, -values])
    return torch.stack([table[codes & 15], table[codes >> 4]], dim=-1).reshape(-1)
