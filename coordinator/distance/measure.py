"""How far two solutions are from each other as ideas, and in what they differ.

    Solution × Solution -> Distance

The distance is the sum of what the aspects weigh in which two ideas differ. A branch of either side
may be left out, whichever brings them closer: a special case beside the old idea buys no distance.

Pure; the work is bounded whatever the sources hold. Start at `distance`. Not here: what the aspects
are (`idea`), the threshold (`Policy.drafting_distance`), machine code (`machine`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coordinator.distance.idea import Idea, ideas_of
from coordinator.distance.program import read_program
from coordinator.distance.reading import read
from guard.domain.solution import Solution

STRONG = 0.4
"""What an aspect weighs that no tuning changes: one is enough."""
WEAK = 0.1
"""What an aspect weighs that tuning may change: two are enough."""
CUDA = ("cuda", "cuda_cpp")
_CONDITIONAL = re.compile(r"#[ \t\\\n]*if")


@dataclass(frozen=True)
class Distance:
    """How far two solutions are from each other."""

    value: float
    apart: tuple[str, ...]
    """The aspects in which they differ."""
    shared: tuple[str, ...]
    """Some in which they do not, in words."""


def distance(one: Solution, other: Solution) -> Distance:
    """How far they are from each other, between 0 and 1."""
    return apart(ideas(one), ideas(other))


def ideas(solution: Solution) -> tuple[Idea, ...]:
    """What is compared of a solution: the whole first, then without one branch each."""
    found = dict.fromkeys(_read(solution, prefer_first=True))
    if any(_CONDITIONAL.search(source.content) for source in solution.sources):
        found.update(dict.fromkeys(_read(solution, prefer_first=False)))
    return tuple(found)


def apart(one: Sequence[Idea], other: Sequence[Idea]) -> Distance:
    """How far two solutions are from each other whose ideas are known."""
    pairs = [(a, b) for i, a in enumerate(one) for j, b in enumerate(other) if not (i and j)]
    return min((_between(a, b) for a, b in pairs), key=lambda found: found.value)


def _read(solution: Solution, *, prefer_first: bool) -> tuple[Idea, ...]:
    notes = read(read_program(solution, prefer_first=prefer_first))
    family = "cuda" if solution.language in CUDA else solution.language
    if family == "triton" and not any(note.kind == "launch" for note in notes.places):
        family = "pytorch"
    return ideas_of(notes, family)


def _between(one: Idea, other: Idea) -> Distance:
    if one.family != other.family:
        return Distance(1.0, ("the language family",), ())
    weighed = dict(_differences(one, other))
    return Distance(min(1.0, sum(weighed.values())), tuple(weighed), one.words())


def _differences(one: Idea, other: Idea) -> Iterator[tuple[str, float]]:
    """The aspects that differ, and what each weighs."""
    if one.kernels != other.kernels:
        yield "the number of kernels", STRONG
    if one.hardware != other.hardware:
        yield "the hardware used", STRONG * len(one.hardware ^ other.hardware)
    if one.worker != other.worker:
        yield "who gathers a result", STRONG
    if one.rescaled != other.rescaled:
        yield "a sum rescaled as it grows", STRONG
    if _found(one, other) != _found(other, one):
        yield "what is found out, and in which order", STRONG
    if one.passes != other.passes:
        yield "the passes over the input", WEAK
    if one.kept != other.kept:
        yield "what is copied or kept, and where", STRONG
    if one.nests != other.nests:
        on_device = one.family in ("cuda", "triton") and one.nests and other.nests
        yield "the order of loops", WEAK if on_device else STRONG
    if one.operators != other.operators:
        yield "the library's operators", STRONG


def _found(one: Idea, other: Idea) -> frozenset[tuple[str, int]]:
    """What is found out; where sums grow and are rescaled, whatever the order."""
    if one.rescaled and other.rescaled:
        return frozenset((kind, 0) for kind, _ in one.found)
    return one.found
