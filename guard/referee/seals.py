"""A seal: a stretch of every slot's input is wrong until "go" is sent, so nobody begins before it.

A runner that has been woken waits for "go" with all its inputs before it. What it calculated by
then is wrong in a place that only the referee knows, and looks like any other value: a stretch of
the widest input is turned by some elements, in each slot of the block alike.

    slots -> Seal (the slots hold wrong values) -> `lift` (they hold what was drawn)

Start at `seal`. Not here: when it is lifted (`stopwatch`), how wrong outputs are found (`clock`).
"""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from guard.referee.compare import same_width
from guard.referee.slots import Slots

SHARE = 64
"""One element of so many is sealed: more than any tolerance lets be wrong."""
LEAST = 64
"""Elements sealed in a slot, at least, where it has as many."""


class Seal(NamedTuple):
    """What was drawn, and the place in the slots where it belongs."""

    place: Tensor
    drawn: Tensor

    def lift(self) -> None:
        """Put it there; does not wait for the device."""
        self.place.copy_(self.drawn)


def seal(slots: Slots, numbers: Sequence[int]) -> Seal | None:
    """Seal these consecutive slots; None where no input has two elements."""
    sizes = [(t.numel() > 1) * t.numel() * t.itemsize for t in slots.inputs(numbers[0])]
    if not max(sizes, default=0):
        return None
    matrix = slots.input_matrix(sizes.index(max(sizes)), numbers)
    bits = matrix.view(same_width(matrix.dtype))
    elements = bits.shape[1]
    length = min(elements, max(LEAST, elements // SHARE))
    start = secrets.randbelow(elements - length + 1)
    place = bits[:, start : start + length]
    drawn = place.clone()
    place.copy_(drawn.roll(1 + secrets.randbelow(length - 1), dims=1))
    return Seal(place, drawn)
