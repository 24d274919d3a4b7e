"""A fold: a little of one call's output goes into the next call's input, so that order is forced.

Runner and referee share this formula: the runner folds between two calls of an audit block, the
referee repeats it afterwards on the outputs it finds and the inputs it drew. Whoever computes a
call before the one before it is over computes it from inputs that will not have been.

    output of a call -> `sampled` bits -> one factor (or rotation) -> some elements of an input

Elements lie scattered over both tensors at places drawn by the referee for every block, so that
no part of the work is known beforehand to be spared. Floating inputs shrink by up to a third, which
keeps zeros, signs and ranges; of other inputs the chosen elements change places.

Start at `fold`. Not here: when, and what is concluded (`guard.referee.audit`).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

SAMPLES = 256
"""Elements read of an output, and at most changed of an input."""
ENTRIES = 2 * SAMPLES + 1
"""Numbers (int64) that describe one fold."""
_SAME_WIDTH = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# Odd numbers without a pattern, the fractional digits of the golden ratio and of sqrt(3); int64.
_SPREAD, _STIR = -0x61C8864680B583EB, 0x3B67AE8584CAA73B
_LEAST, _DENOMINATOR = 32, 512


@dataclass(frozen=True)
class Fold:
    """Where one fold reads and writes: int64 tensors in memory that the referee owns."""

    sources: Tensor
    """Elements of the output, shape [SAMPLES]."""
    targets: Tensor
    """Distinct elements of the input, shape [at most SAMPLES]."""
    key: Tensor
    """A random number, shape [1]."""

    @classmethod
    def read(cls, entry: Tensor, elements: int) -> "Fold":
        """From one entry of the shared table, shape [ENTRIES], for an input of so many elements."""
        count = min(SAMPLES, elements)
        return cls(entry[:SAMPLES], entry[SAMPLES : SAMPLES + count], entry[-1:])


def fold(output: Tensor, into: Tensor, place: Fold) -> None:
    """Change `into` (contiguous, any dtype) by what `output` holds; does not wait for the device.

    Bit for bit the same wherever the same device repeats it.
    """
    number = _number(_bits(output).reshape(-1)[place.sources], place.key)
    bits, targets = _bits(into).view(-1), place.targets
    if _shrinks(into.dtype):
        changed = (into.view(-1)[targets] * _factor(number, into.dtype)).view(bits.dtype)
    else:
        changed = bits[targets[_turned(number, targets)]]
    bits.index_copy_(0, targets, changed)


def fold_each(outputs: Tensor, into: Tensor, places: Tensor) -> None:
    """The same for many calls at once, bit for bit: a row of each matrix per call.

    `places` has shape [calls, ENTRIES], `into` may have gaps between its rows.
    """
    count = min(SAMPLES, into.shape[1])
    targets = places[:, SAMPLES : SAMPLES + count]
    sampled = _bits(outputs).gather(1, places[:, :SAMPLES])
    number = _number(sampled, places[:, -1:])
    bits = _bits(into)
    if _shrinks(into.dtype):
        taken = bits.gather(1, targets).view(into.dtype)
        changed = (taken * _factor(number, into.dtype)).view(bits.dtype)
    else:
        changed = bits.gather(1, targets.gather(1, _turned(number, targets)))
    bits.scatter_(1, targets, changed)


def _bits(tensor: Tensor) -> Tensor:
    return tensor.view(_SAME_WIDTH[tensor.dtype.itemsize])


def _shrinks(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point and dtype.itemsize > 1


def _number(sampled: Tensor, key: Tensor) -> Tensor:
    """0 to 127, from all that was sampled of an output."""
    # Sums of int64 wrap, so their order does not matter.
    drawn = ((sampled.to(torch.int64) ^ key) * _SPREAD).sum(dim=-1, keepdim=True) * _STIR
    return (drawn >> 33) & 127


def _factor(number: Tensor, dtype: torch.dtype) -> Tensor:
    return 1 - (number + _LEAST).to(dtype) / _DENOMINATOR


def _turned(number: Tensor, targets: Tensor) -> Tensor:
    count = targets.shape[-1]
    return (torch.arange(count, device=targets.device) + number) % count


def rehearse(output: str, into: Tensor) -> None:
    """Run every kernel of a fold once on scratch memory; `output` is the output's dtype."""
    nothing = torch.zeros(SAMPLES, dtype=torch.int64, device=into.device)
    read = torch.zeros(1, dtype=getattr(torch, output), device=into.device)
    count = min(SAMPLES, into.numel())
    fold(read, into.clone(), Fold(nothing, nothing[:count], nothing[:1]))
