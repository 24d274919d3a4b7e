"""How far two solutions are from each other, and why.

    Solution × Solution -> Distance

0 is the same idea, 1 has nothing in common. Most of it is the skeleton: which loops there are,
inside which, and what each finds out; a smaller part is how the code is written. A branch of either
side may be left out, whichever makes them closer, so code beside the old idea buys no distance.

Pure; the work is bounded whatever the sources hold. Start at `distance`. Not here: the threshold
(`Policy.drafting_distance`), machine code (`machine`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coordinator.distance.program import read_program
from coordinator.distance.reading import Reader
from coordinator.distance.regions import MOVES, Part, parts
from coordinator.distance.shingles import Shingle, shingles
from guard.domain.solution import Solution

SKELETON = 0.85
"""Share of the skeleton; the rest is how it is written."""
BARE = 0.25
"""Weight of a loop that does nothing but hold others."""
DEPTH = 0.6
"""How much of a region's likeness depends on how deep it lies."""
SHARPNESS = 2.0
"""How fast likeness falls with what two regions do not share."""
MOVE = 0.5
"""Weight of moving data, where finding something out weighs 1."""
MACHINERY = frozenset(
    ("threads", "mma", "async", "bulk", "descriptor", "walk", "cluster", "cooperative", "atomic")
)
"""What of the hardware an idea may rest on."""
ANOTHER = 0.75
"""What likeness is left for each that only one side uses, and for another number of kernels."""
_CONDITIONAL = re.compile(r"#[ \t\\\n]*if")
CUDA = ("cuda", "cuda_cpp")


@dataclass(frozen=True)
class Shape:
    """What of a solution is compared."""

    family: str
    skeletons: tuple[tuple[Part, ...], ...]
    """Whole, then without one branch each."""
    shingles: frozenset[Shingle]


@dataclass(frozen=True)
class Distance:
    """How far two solutions are from each other."""

    value: float
    skeleton: float
    writing: float
    families: tuple[str, str]


def distance(one: Solution, other: Solution) -> Distance:
    """How far they are from each other, between 0 and 1."""
    return apart(shapes(one), shapes(other))


def apart(one: Sequence[Shape], other: Sequence[Shape]) -> Distance:
    """How far two solutions are from each other whose shapes are known."""
    closest: Distance | None = None
    for first in one:
        for second in other:
            found = _between(first, second)
            if closest is None or found.value < closest.value:
                closest = found
    assert closest is not None
    return closest


def shapes(solution: Solution) -> tuple[Shape, ...]:
    """What is compared of a solution: one or two, as `preprocess` says."""
    first = _shape(solution, prefer_first=True)
    if not any(_CONDITIONAL.search(source.content) for source in solution.sources):
        return (first,)
    second = _shape(solution, prefer_first=False)
    return (first,) if first == second else (first, second)


def _shape(solution: Solution, *, prefer_first: bool) -> Shape:
    program = read_program(solution, prefer_first=prefer_first)
    reader = Reader(program)
    regions = reader.read()
    branches = sorted({branch for region in regions for branch in region.branches})
    whole = parts(regions)
    fewer = (parts(regions, branch) for branch in branches)
    return Shape(
        family=_family(solution, reader.kernels),
        skeletons=(whole, *(one for one in fewer if one and one != whole)),
        shingles=shingles(reader.called.values()),
    )


def _family(solution: Solution, kernels: int) -> str:
    if solution.language in CUDA:
        return "cuda"
    if solution.language == "triton" and not kernels:
        return "pytorch"
    return solution.language


def _between(one: Shape, other: Shape) -> Distance:
    families = (one.family, other.family)
    skeleton = min(
        _skeletons(first, second)
        for at, first in enumerate(one.skeletons)
        for to, second in enumerate(other.skeletons)
        if not (at and to)
    )
    writing = 1 - _contained(one.shingles, other.shingles)
    value = SKELETON * skeleton + (1 - SKELETON) * writing if one.family == other.family else 1.0
    return Distance(value, skeleton, writing, families)


def _contained(one: frozenset[Shingle], other: frozenset[Shingle]) -> float:
    """How much of the smaller is in the larger: what was added does not count."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else float(one == other)


def _skeletons(one: Sequence[Part], other: Sequence[Part]) -> float:
    pairs = sorted(
        (
            (-_alike(first, second), at, to)
            for at, first in enumerate(one)
            for to, second in enumerate(other)
        ),
    )
    left, right = set(range(len(one))), set(range(len(other)))
    matched = 0.0
    for minus, at, to in pairs:
        if at in left and to in right and minus < 0:
            left.discard(at)
            right.discard(to)
            matched -= minus * (_weight(one[at]) + _weight(other[to]))
    whole = sum(map(_weight, one)) + sum(map(_weight, other))
    likeness = matched / whole if whole else 1.0
    others = len(_machinery(one) ^ _machinery(other)) + (_kernels(one) != _kernels(other))
    return 1 - likeness * ANOTHER**others


def _kernels(parts: Sequence[Part]) -> int:
    return sum(part.depth == 0 for part in parts)


def _machinery(parts: Sequence[Part]) -> frozenset[str]:
    return (
        frozenset(
            name for part in parts for feature in part.features for name in feature.split(":")
        )
        & MACHINERY
    )


def _alike(one: Part, other: Part) -> float:
    both = sum(map(_worth, one.features & other.features))
    either = sum(map(_worth, one.features | other.features))
    same = both / either if either else 1.0
    deepest = max(one.depth, other.depth)
    apart = abs(one.depth - other.depth) / deepest if deepest else 0.0
    return float(same**SHARPNESS * (1 - DEPTH * apart))


def _worth(feature: str) -> float:
    return MOVE if feature.startswith(MOVES) else 1.0


def _weight(part: Part) -> float:
    return BARE + sum(map(_worth, part.features)) ** 0.5 if part.features else BARE
