"""What a reading notes, and under which branches: the raw material of an idea.

Start at `Notes`. Not here: what is made of them (`idea`), who takes them (`gathering`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from coordinator.distance.values import Holder, Memory

MAX_NOTES = 3_000
Kind = Literal["mark", "found", "read", "again", "leaf", "launch", "operator"]


@dataclass(eq=False, slots=True)
class Loop:
    """One loop, as it is read."""

    number: int
    around: tuple[Loop, ...]
    """The loops around it, outermost first."""
    branches: frozenset[int]
    written_out: bool = False
    """Whether its rounds are few and known: a way of writing its body."""
    stepped: bool = False
    """Whether it steps by more than one."""
    gathers: bool = False
    """Whether it takes something over from round to round."""
    tiles: bool = False
    """Whether a loop inside goes over a part that it chose."""
    used: bool = False
    """Whether somebody reads what it gathers, or it writes to memory."""
    level: int = 0
    """How many results what it gathers or writes rests on."""
    changes: frozenset[Holder] = frozenset()
    """The variables that its body assigns to."""
    holders: list[Holder] = field(default_factory=list)
    """What is gathered in it and known when it ends."""


class Note(NamedTuple):
    """One thing that a program does."""

    kind: Kind
    what: str = ""
    level: int = 0
    memory: Memory | None = None
    loop: Loop | None = None


class Notes:
    """All that a program does, once each."""

    def __init__(self) -> None:
        self.places: dict[Note, set[frozenset[int]]] = {}
        """The branches that each stands in."""

    def add(self, note: Note, branches: frozenset[int]) -> None:
        """Note something, once."""
        if note in self.places or len(self.places) < MAX_NOTES:
            self.places.setdefault(note, set()).add(branches)

    def without(self, branches: frozenset[int]) -> list[Note]:
        """What is done where branches are not taken."""
        found = self.places.items()
        return [note for note, places in found if any(branches.isdisjoint(p) for p in places)]

    def branches(self) -> list[int]:
        """All branches that something stands in."""
        return sorted({b for places in self.places.values() for place in places for b in place})
