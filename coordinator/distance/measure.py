"""How far two solutions are from each other as ideas, and in what they differ.

    Solution × Solution -> Distance

The distance is the sum of what the aspects weigh in which two ideas differ. Branches of either side
may be left out, whichever brings them closer: special cases beside the old idea buy no distance.

Pure; the work is bounded whatever the sources hold. Start at `distance`. Not here: what the aspects
are (`idea`), what they weigh (`differences`), the threshold (`Policy.drafting_distance`), machine
code (`machine`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coordinator.distance.census import census_of
from coordinator.distance.differences import differences
from coordinator.distance.idea import Idea, ideas_of
from coordinator.distance.program import read_program
from coordinator.distance.reading import read
from guard.domain.solution import Solution

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
    """What is compared of a solution: the whole first, then without some of its branches."""
    found = dict.fromkeys(_read(solution, prefer_first=True))
    if any(_CONDITIONAL.search(source.content) for source in solution.sources):
        found.update(dict.fromkeys(_read(solution, prefer_first=False)))
    return tuple(found)


def apart(one: Sequence[Idea], other: Sequence[Idea]) -> Distance:
    """How far two solutions are from each other whose ideas are known."""
    pairs = [(a, b) for i, a in enumerate(one) for j, b in enumerate(other) if not (i and j)]
    return min((_between(a, b) for a, b in pairs), key=lambda found: found.value)


def _read(solution: Solution, *, prefer_first: bool) -> tuple[Idea, ...]:
    program = read_program(solution, prefer_first=prefer_first)
    census, notes = census_of(program), read(program)
    family = "cuda" if solution.language in CUDA else solution.language
    if family == "triton" and not any(note.kind == "launch" for note in notes.places):
        family = "pytorch"
    return ideas_of(notes, family, census)


def _between(one: Idea, other: Idea) -> Distance:
    if one.family != other.family:
        return Distance(1.0, ("the language family",), ())
    weighed = dict(differences(one, other))
    return Distance(min(1.0, sum(weighed.values())), tuple(weighed), one.words())
