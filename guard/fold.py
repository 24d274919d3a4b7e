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
    sampled = output.view(_SAME_WIDTH[output.dtype.itemsize]).reshape(-1)[place.sources]
    # Sums of int64 wrap, so their order does not matter.
    drawn = ((sampled.to(torch.int64) ^ place.key) * _SPREAD).sum(dim=0, keepdim=True) * _STIR
    number = (drawn >> 33) & 127
    bits = into.view(_SAME_WIDTH[into.dtype.itemsize]).view(-1)
    if into.dtype.is_floating_point and into.dtype.itemsize > 1:
        factor = 1 - (number + _LEAST).to(into.dtype) / _DENOMINATOR
        changed = (into.view(-1)[place.targets] * factor).view(bits.dtype)
    else:
        count = place.targets.numel()
        turned = (torch.arange(count, device=into.device) + number) % count
        changed = bits[place.targets[turned]]
    bits.index_copy_(0, place.targets, changed)


def rehearse(output: str, into: Tensor) -> None:
    """Run every kernel of a fold once on scratch memory; `output` is the output's dtype."""
    nothing = torch.zeros(SAMPLES, dtype=torch.int64, device=into.device)
    read = torch.zeros(1, dtype=getattr(torch, output), device=into.device)
    count = min(SAMPLES, into.numel())
    fold(read, into.clone(), Fold(nothing, nothing[:count], nothing[:1]))
