"""What an idea is: the aspects of a program that a rewrite keeps and another idea changes.

    Notes -> Idea

Start at `idea_of`. Not here: how far two are apart (`measure`), who takes the notes (`reading`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from coordinator.distance.census import ALGORITHMS, Census
from coordinator.distance.notes import Loop, Note, Notes

HARDWARE = frozenset(
    ("tensor cores", "async", "bulk", "descriptor", "cluster", "cooperative", "atomic", "threads",
     "threads share a sum", "walk")
)  # fmt: skip
_ALGORITHMS = frozenset(ALGORITHMS)
_WORK = ("leaf", "launch", "operator", "found")


@dataclass(frozen=True)
class Idea:
    """The aspects of one program."""

    family: str
    kernels: int
    """Kernels that are launched one after another and read something."""
    hardware: frozenset[str]
    """What of the hardware, and of sharing out the work, it rests on."""
    worker: str
    """Who gathers a result: a thread, a warp, a block."""
    found: frozenset[tuple[str, int]]
    """What is found out, and on how many earlier results it rests."""
    rescaled: bool
    """Whether a sum is rescaled as it grows."""
    passes: int
    """How often the input that is read most is read, each time for a later result."""
    kept: frozenset[str]
    """Where copies are staged, and results kept for later."""
    nests: frozenset[str]
    """The orders of loops that hold work: g gathers, o goes over outputs, tiles in capitals."""
    operators: frozenset[str]
    """Library operators that are ideas of their own."""
    census: Census
    """What the second witness saw."""

    def words(self) -> tuple[str, ...]:
        """What it is, in a few words."""
        told = [f"{self.kernels} kernel{'s' * (self.kernels > 1)}"] if self.kernels else []
        by_level = sorted(self.found, key=lambda found: (found[1], found[0]))
        if by_level:
            told.append(f"the same steps ({', '.join(kind for kind, _ in by_level)})")
        told += sorted(self.hardware) + sorted(self.operators) + sorted(self.kept)
        if self.nests:
            told.append("the same order of loops")
        return tuple(told) or ("the same loops over the same memory",)


def ideas_of(notes: Notes, family: str, census: Census) -> tuple[Idea, ...]:
    """The idea; and what it would be without some of its branches, where they matter."""
    found = {_idea(notes.without(frozenset()), family, frozenset(), census): None}
    for left_out in _left_out(notes.branches()):
        left = notes.without(left_out)
        if len(left) < len(notes.places) and any(note.kind in _WORK for note in left):
            found.setdefault(_idea(left, family, left_out, census))
    return tuple(found)


def _left_out(branches: Sequence[int]) -> Iterator[frozenset[int]]:
    """One branch, two, or all of them."""
    yield from (frozenset((branch,)) for branch in branches)
    yield from map(frozenset, combinations(branches, 2))
    yield frozenset(branches)


def _idea(notes: Sequence[Note], family: str, left_out: frozenset[int], census: Census) -> Idea:
    notes = [note for note in notes if note.loop is None or _counts(note.loop, left_out)]
    inner = _innermost(notes)
    marks = {note.what for note in notes if note.kind == "mark"}
    launches = {note.what for note in notes if note.kind == "launch"}
    cuda = family == "cuda"
    return Idea(
        family=family,
        kernels=len(launches),
        hardware=frozenset(marks & HARDWARE),
        worker=_worker(marks) if cuda and "tensor cores" not in marks else "",
        found=frozenset((note.what, note.level) for note in notes if note.kind == "found"),
        rescaled="rescaled sum" in marks,
        passes=_passes(inner),
        kept=_kept(notes, marks),
        nests=frozenset(
            filter(None, (_nest(n.loop) for n in inner if n.kind == "leaf" and n.loop))
        ),
        operators=frozenset(n.what for n in notes if n.kind == "operator") | (marks & _ALGORITHMS),
        census=census,
    )


def _innermost(notes: Sequence[Note]) -> list[Note]:
    """What is done in loops that have no other inside: there the work is."""
    loops = [note.loop for note in notes if note.loop is not None]
    outer = {id(around) for loop in loops if not loop.written_out for around in loop.around}
    return [note for note in notes if id(note.loop) not in outer]


def _counts(loop: Loop, left_out: frozenset[int]) -> bool:
    """Whether a loop gives something that is used, and stands in no branch that is left out."""
    return loop.used and left_out.isdisjoint(loop.branches)


def _worker(marks: set[str]) -> str:
    if "shared: exchanged" in marks:
        return "block"
    return "warp" if "lanes" in marks else "thread"


def _passes(notes: Sequence[Note]) -> int:
    levels: dict[int, set[int]] = {}
    for note in notes:
        memory, loop = note.memory, note.loop
        if note.kind != "read" or loop is None or memory is None:
            continue
        if memory.place == "global" and not memory.written:
            levels.setdefault(id(memory), set()).add(loop.level)
    return max(map(len, levels.values()), default=1)


def _kept(notes: Sequence[Note], marks: set[str]) -> frozenset[str]:
    again = {
        f"{note.what}: read again"
        for note in notes
        if note.kind == "again" and note.what != "shared"
    }
    staged = {
        mark for mark in marks
        if mark.endswith((": copied", ": kept")) or mark in ("register tile", "turned first")
    }  # fmt: skip
    if "tensor cores" in marks:
        staged -= {"register tile"}
    return frozenset(again | staged)


def _nest(loop: Loop) -> str:
    text = ""
    for one in (*loop.around, loop):
        if one.written_out:
            continue
        sign = "g" if one.gathers else "o"
        sign = sign.upper() if one.tiles else sign
        if text[-1:] != sign:
            text += sign
    return text
