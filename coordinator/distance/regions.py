"""The loops of a program and what each does: its skeleton.

    Region, Region… -> Part, Part…

A region is the body of a loop, or a kernel outside its loops. Start at `parts`. Not here: how it is
found (`reading`), how two skeletons are compared (`measure`).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

MOVES = ("load", "store")
"""What features begin with that only move data."""
EFFECTS = ("store", "collect", "atomic", "async", "bulk", "fragment", "mma", "call", "barrier")
"""What features begin with that somebody else sees, whatever becomes of the values."""
Uses = dict[tuple[int, str], set[int]]
MAX_REGIONS = 60
"""Regions of one solution that are looked at."""


@dataclass
class Region:
    """One loop, or one kernel outside its loops."""

    parent: int
    """-1: none."""
    depth: int
    """Loops around it, its own included."""
    conditions: frozenset[int] = frozenset()
    """The branches that it stands in."""
    features: dict[str, set[frozenset[int]]] = field(default_factory=dict)
    """What it does, and in which branches."""
    gives: set[tuple[int, str]] = field(default_factory=set)
    """Names from outside it that it writes."""
    idle: bool = False
    """Whether nobody uses what it finds out."""
    variable: str = ""
    """What its loop counts with."""

    @property
    def branches(self) -> frozenset[int]:
        """All branches that it, or something of it, stands in."""
        places = (place for found in self.features.values() for place in found)
        return self.conditions.union(*places)

    def without(self, branch: int) -> frozenset[str]:
        """What it does where a branch is not taken; 0: all of it."""
        return frozenset(
            name
            for name, places in self.features.items()
            if any(branch not in place for place in places)
        )


class Part(NamedTuple):
    """A region as it is compared."""

    depth: int
    features: frozenset[str]
    loops: int
    """Loops directly inside."""


def mark_idle(regions: list[Region], uses: Uses) -> None:
    """Find the loops whose results nobody uses."""
    within: dict[int, set[int]] = {}
    for number in range(len(regions) - 1, -1, -1):
        region = regions[number]
        own = within.setdefault(number, set()) | {number}
        within.setdefault(region.parent, set()).update(own)
        read = any(uses.get(name, set()) - own for one in own for name in regions[one].gives)
        seen = any(name.startswith(EFFECTS) for one in own for name in regions[one].features)
        region.idle = region.depth > 0 and not read and not seen


def parts(regions: list[Region], branch: int = 0) -> tuple[Part, ...]:
    """The skeleton, without one branch if asked for; a loop that repeats the one before it is one.

    So a loop that was copied, or unrolled with a remainder, is the loop that it was.
    """
    inside: dict[int, list[int]] = {}
    for number, region in enumerate(regions):
        if not region.idle and (not branch or branch not in region.conditions):
            inside.setdefault(region.parent, []).append(number)
    shapes: dict[int, tuple[Part, ...]] = {}
    # A region is entered after the one around it, so backwards every inside is known before.
    for number in range(len(regions) - 1, -1, -1):
        children: list[tuple[Part, ...]] = []
        for child in inside.get(number, ()):
            if children and (both := _merged(children[-1], shapes[child])):
                children[-1] = both
            else:
                children.append(shapes[child])
        region = regions[number]
        own = Part(region.depth, region.without(branch), len(children))
        below = [part for child in children for part in child]
        # Host code that only launches kernels says nothing.
        said = (own,) if own.features or own.depth or below else ()
        shapes[number] = (*said, *below)[:MAX_REGIONS]
    roots = [part for root in inside.get(-1, ()) for part in shapes[root]]
    return tuple(roots[:MAX_REGIONS])


def _merged(one: tuple[Part, ...], other: tuple[Part, ...]) -> tuple[Part, ...]:
    """Both as one, or nothing where they are not alike."""
    if len(one) != len(other) or not all(map(_alike, one, other)):
        return ()
    return tuple(
        first._replace(features=first.features | second.features)
        for first, second in zip(one, other, strict=True)
    )


def _alike(one: Part, other: Part) -> bool:
    first, second = one.features, other.features
    if {f for f in first if not f.startswith(MOVES)} != {
        f for f in second if not f.startswith(MOVES)
    }:
        return False
    return first <= second or second <= first
