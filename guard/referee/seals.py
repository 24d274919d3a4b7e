"""A seal: a stretch of each input is wrong until "go" is sent, so nobody begins before it.

A runner that has been woken waits for "go" with all its inputs before it. What it calculated by
then is wrong in places that only the referee knows, and looks like any other value: a stretch of
every input is turned by some elements, in each slot of the block alike. Of one input alone, what
hangs on the others could be done early, and all of it where that one holds a single value.

    slots -> Seal (the slots hold wrong values) -> `lift` (they hold what was drawn)

Start at `seal`. Not here: when it is lifted (`stopwatch`), how wrong outputs are found (`clock`).
"""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from guard.referee.poison import same_width
from guard.referee.slots import Slots

SHARE = 64
"""One element of so many is sealed: more than any tolerance lets be wrong."""
LEAST = 64
"""Elements sealed of an input, at least, where it has as many."""


class Seal(NamedTuple):
    """What was drawn, and the places in the slots where it belongs: one for each input."""

    places: tuple[Tensor, ...]
    drawn: tuple[Tensor, ...]

    def lift(self) -> None:
        """Put it there; does not wait for the device."""
        for place, drawn in zip(self.places, self.drawn, strict=True):
            place.copy_(drawn)


def seal(slots: Slots, numbers: Sequence[int]) -> Seal:
    """Seal these consecutive slots; an input of fewer than two elements cannot be."""
    sizes = [tensor.numel() for tensor in slots.inputs(numbers[0])]
    places = tuple(
        _place(slots.input_matrix(index, numbers)) for index, size in enumerate(sizes) if size > 1
    )
    drawn = tuple(place.clone() for place in places)
    for place, values in zip(places, drawn, strict=True):
        place.copy_(values.roll(1 + secrets.randbelow(place.shape[1] - 1), dims=1))
    return Seal(places, drawn)


def _place(matrix: Tensor) -> Tensor:
    """The stretch of an input that is sealed, its slots a row each; a view."""
    bits = matrix.view(same_width(matrix.dtype))
    elements = bits.shape[1]
    length = min(elements, max(LEAST, elements // SHARE))
    start = secrets.randbelow(elements - length + 1)
    return bits[:, start : start + length]
