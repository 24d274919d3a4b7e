"""Constant inputs: sets of weights that many calls share, and the referee's own copy of each.

A definition may mark inputs as constant. Calls then take turns over a few *sets* of them, so that
a set is as cold in every call as weights are that were last read a model ago. Runners hold them
in memory that they can write to; what is right is computed from the copy that only the referee has.

    set_bytes × slots × device -> number of sets;  Constants: draw -> lay out -> unchanged?

Start at `Constants`. Not here: how values are drawn (`inputs`), who prepares them (`preparation`).
"""

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from guard.referee.rows import differ, of_columns

if TYPE_CHECKING:
    from guard.referee.slots import Layout

CACHE_BYTES = {"cpu": 2 * 2**20}
"""The second-level cache by kind of device; of others the device is asked."""
COLD = 3
"""How many times that cache's size all sets together have, so that none is still there."""
LEAST_SETS = 2
"""With one, a candidate could not be seen to answer for another set."""
MOST_SETS = 64
"""Smaller constants may stay in the cache; they are little beside what else a call reads."""


def sets(set_bytes: int, slots: int, device: str) -> int:
    """How many sets so many slots of a device (the plug-in's name) share."""
    if not set_bytes:
        return 0
    cold = -(-COLD * _cache_bytes(device) // set_bytes)
    return min(slots, max(LEAST_SETS, min(MOST_SETS, cold)))


def room(layout: "Layout", size_bytes: int, device: str) -> int:
    """How many slots fit into so much memory, beside all sets that they may share."""
    shared = sets(layout.set_bytes, MOST_SETS, device) * layout.set_bytes
    return (size_bytes - shared) // layout.slot_bytes


def needed_bytes(layout: "Layout", slots: int, device: str) -> int:
    """The memory of so many slots, with all sets that they may share."""
    shared = sets(layout.set_bytes, MOST_SETS, device) * layout.set_bytes
    return slots * layout.slot_bytes + shared


def _cache_bytes(device: str) -> int:
    known = CACHE_BYTES.get(device)
    return known or torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size


class Constants:
    """All sets of one binding, and which of them each slot uses."""

    def __init__(self, placed: Sequence[Tensor], slots: int, order: int) -> None:
        """`placed`: per constant input all sets, where a runner finds them.

        `order` decides which slot uses which set; neighbours never share one.
        """
        self._placed = placed
        self._own = [torch.empty_like(p, memory_format=torch.contiguous_format) for p in placed]
        self.count = len(placed[0]) if placed else 0
        turn = Random(order).sample(range(self.count), self.count)
        self.of_slot = tuple(turn[slot % self.count] for slot in range(slots)) if turn else ()

    def own(self, number: int) -> list[Tensor]:
        """The referee's copy of one set, in definition order."""
        return [tensor[number] for tensor in self._own]

    def lay_out(self, number: int) -> None:
        """Put a set where the runner finds it."""
        for placed, own in zip(self._placed, self._own, strict=True):
            placed[number].copy_(own[number])

    def unchanged(self) -> bool:
        """Whether the runner's sets are still as they were laid out, bit by bit."""
        return not differ(of_columns(self._placed), of_columns(self._own))
