"""Poison: patterns that no right output holds, written where a candidate has to write.

    dtype -> drawn pattern -> filled buffers -> how many elements still hold it

Start at `fresh_patterns` and `poison`. Not here: comparing what was written (`compare`), one pass
over a whole block (`looks`).
"""

import secrets
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

POISON_CHUNK = 2**27
"""Elements looked at for poison at once: 128 MiB of temporaries."""
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


def poison(tensor: Tensor, pattern: int) -> None:
    """Fill `tensor` with the pattern."""
    bits = bits_of(tensor)
    bits.fill_(signed(pattern, bits))


def poisoned(tensor: Tensor, pattern: int) -> Tensor:
    """How many elements hold the pattern, as a 0-D tensor on the device; does not wait."""
    bits = bits_of(tensor)
    if bits.is_contiguous():
        bits = bits.reshape(-1)
    # Rows with gaps are few enough as they are, and making them one would copy them.
    value = signed(pattern, bits)
    parts = [(part == value).sum() for part in torch.split(bits, POISON_CHUNK)]
    return torch.stack(parts).sum()


def bits_of(tensor: Tensor) -> Tensor:
    """The same elements as integers."""
    return tensor.view(same_width(tensor.dtype))


def same_width(dtype: torch.dtype) -> torch.dtype:
    """The integer type whose elements are as wide."""
    return _SAME_WIDTH[dtype.itemsize]


def signed(pattern: int, bits: Tensor) -> int:
    """The pattern as a number of the type of these bits."""
    width = bits.dtype.itemsize * 8
    wraps = bits.dtype.is_signed and pattern >= 2 ** (width - 1)
    return pattern - 2**width if wraps else pattern
