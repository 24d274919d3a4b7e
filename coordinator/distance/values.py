"""What is known of a value while a program is read: where it points, what it came from.

Start at `Known`. Not here: how it is found out (`evaluating`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from coordinator.distance.notes import Loop

MAX_FROM = 40
"""Names that one value is known to come from, at most."""
MAX_LEVEL = 12
"""Results that rest on each other, at most."""
Place = Literal["global", "workspace", "scratch", "shared", "local"]
_PLACES: tuple[Place, ...] = ("workspace", "scratch", "shared", "global", "local")
Origin = str | int
"""thread, block, grid; or the number of a loop."""


@dataclass(eq=False, slots=True, kw_only=True)
class Holder:
    """What holds a value: a variable, or an array of which all elements are one."""

    value: Known
    home: int = 0
    """How many loops were around it where it was made."""
    before: int | None = None
    """The level of its value before the last loop that gathered in it ended."""
    kinds: set[str] = field(default_factory=set)
    """What the loops around find out in it, until they end."""
    rests_on: int = 0
    """The level of what is gathered in it."""
    pure: bool = True
    """Whether only results of the same kind are gathered in it."""
    fresh: frozenset[int] = frozenset()
    """The loops whose present round gave it a value of its own."""
    gathered_in: tuple[Loop, ...] = ()
    """The loops that gathered what it holds, until somebody reads it."""


@dataclass(eq=False, slots=True, kw_only=True)
class Memory(Holder):
    """One array, wherever it lies."""

    place: Place
    name: str = ""
    writers: set[int] = field(default_factory=set)
    """The loops that wrote results into it; -1: outside all."""
    written: bool = False
    sums: bool = False
    """Whether something was gathered in its elements."""


@dataclass(eq=False, slots=True, kw_only=True)
class Cell(Holder):
    """One variable, or one object with its fields."""

    type: str = ""
    fields: dict[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one value."""

    memory: Memory | None = None
    """Where it points."""
    cell: Cell | None = None
    """The variable that it points to, or the object that it is."""
    function: str = ""
    """The function that it is."""
    number: int | None = None
    origins: frozenset[Origin] = frozenset()
    """What it depends on that is no data."""
    clipped: frozenset[Origin] = frozenset()
    """Of these, what went through a minimum or a choice."""
    level: int = 0
    """How many results it rests on that were gathered one after another."""
    found: frozenset[str] = frozenset()
    """The kind of result that it is, where nothing else was done to it."""
    data: bool = False
    """Whether it comes from memory."""
    tile: bool = False
    """Whether it is one of several sums that are held side by side."""
    raw: bool = False
    """Whether it is what was read from global memory, and nothing else."""
    through: Mapping[Holder, frozenset[str]] = field(default_factory=dict)
    """The variables of outside the loop that it comes from, and what was done on the way."""
    items: tuple[Known, ...] = ()
    """Of a tuple or a list."""
    view: frozenset[str] = frozenset()
    """Of a tensor: how it was turned."""

    def joined(self, other: Known) -> Known:
        """What is known of a value that is one or the other, or made of both."""
        return Known(
            memory=_nearest(self.memory, other.memory),
            cell=self.cell or other.cell,
            origins=_few(self.origins | other.origins),
            clipped=self.clipped | other.clipped,
            level=max(self.level, other.level),
            found=_found(self, other),
            data=self.data or other.data,
            tile=self.tile or other.tile,
            raw=(self.raw or other.raw)
            and (self.raw or not self.data)
            and (other.raw or not other.data),
            through=_both(self.through, other.through),
            view=self.view | other.view,
        )

    def done(self, operation: str) -> Known:
        """The same after one more step on the way of every variable that it comes from."""
        through = {one: ops | {operation} for one, ops in self.through.items()}
        return replace(self, through=through, items=(), function="", number=None)

    def plain(self) -> Known:
        """A value made from it: no pointer, no function."""
        return replace(self, memory=None, cell=None, function="", number=None, items=(), raw=False)


UNKNOWN = Known()


def all_of(values: Iterable[Known]) -> Known:
    """What is known of something made of all of them."""
    found = UNKNOWN
    for value in values:
        found = found.joined(value)
    return found


def _found(one: Known, other: Known) -> frozenset[str]:
    if one.found == other.found or not other.data:
        return one.found
    return frozenset() if one.data else other.found


def _nearest(one: Memory | None, other: Memory | None) -> Memory | None:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda memory: _PLACES.index(memory.place))


def _few(origins: frozenset[Origin]) -> frozenset[Origin]:
    return origins if len(origins) <= MAX_FROM else frozenset(sorted(origins, key=str)[:MAX_FROM])


def _both(
    one: Mapping[Holder, frozenset[str]], other: Mapping[Holder, frozenset[str]]
) -> Mapping[Holder, frozenset[str]]:
    if not other or not one:
        return one or other
    found = dict(one)
    for holder, operations in other.items():
        if holder in found or len(found) < MAX_FROM:
            found[holder] = found.get(holder, frozenset()) | operations
    return found
