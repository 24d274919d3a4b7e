"""In what two ideas differ, and what each difference weighs.

    Idea, Idea -> aspects with their weights

Two witnesses are heard: the reading, which knows what becomes of each value, and the census, which
knows only what is used. A difference counts where both see it, or where the census cannot say; what
the census saw in both, the reading lost in one.

Pure. Start at `differences`. Not here: the distance (`measure`), the aspects themselves (`idea`).
"""

from collections.abc import Iterator

from coordinator.distance.idea import Idea
from coordinator.distance.vocabulary import JOINED

STRONG = 0.4
"""What an aspect weighs that no tuning changes: one is enough."""
WEAK = 0.1
"""What an aspect weighs that tuning may change: two are enough."""
_IN_THE_CENSUS = {"mma": "tensor cores", "grid": "walk"}
"""What the census sees of hardware that the reading calls otherwise."""
_SHARING = frozenset(("shared", "lanes", "atomic shared"))
"""What the census sees of threads that share a result."""
_GATHERING = frozenset(("gathers", "fma", "add", "larger", "sum", "max"))
"""What the census sees of loops that may find something out."""
_KINDS = frozenset(("product", "scan", "sort", "select"))
"""What operators of PyTorch find out that cannot be spelled otherwise."""


def differences(one: Idea, other: Idea) -> Iterator[tuple[str, float]]:
    """The aspects in which they differ, and what each weighs."""
    weights = {
        "the number of kernels": _kernels(one, other),
        "the hardware used": _hardware(one, other),
        "who gathers a result": _worker(one, other),
        "a sum rescaled as it grows": _rescaled(one, other),
        "what is found out, and in which order": _found(one, other),
        "the passes over the input": WEAK * (one.passes != other.passes),
        "what is copied or kept, and where": _kept(one, other),
        "the order of loops": _order(one, other),
        "the library's operators": _operators(one, other),
        "the number of matrix products": _products(one, other),
    }
    return ((aspect, weight) for aspect, weight in weights.items() if weight)


def _kernels(one: Idea, other: Idea) -> float:
    return STRONG * (one.kernels != other.kernels and one.census.launched != other.census.launched)


def _hardware(one: Idea, other: Idea) -> float:
    both = one.census.used & other.census.used
    seen = {_IN_THE_CENSUS.get(kind, kind) for kind in both}
    return STRONG * len((one.hardware ^ other.hardware) - seen)


def _worker(one: Idea, other: Idea) -> float:
    seen = (one.census.used ^ other.census.used) & _SHARING
    return STRONG * (one.worker != other.worker and bool(seen))


def _rescaled(one: Idea, other: Idea) -> float:
    # Of a chain of operators the order of its loop says it, and an object may hide the sum.
    told = one.family != "pytorch" and not _lost(one, other)
    return STRONG * (told and one.rescaled != other.rescaled)


def _found(one: Idea, other: Idea) -> float:
    mine, theirs = _results(one, other), _results(other, one)
    if mine == theirs or _lost(one, other):
        return 0
    if one.family == "pytorch":
        seen = (one.census.used ^ other.census.used) & _KINDS
        return STRONG * bool(seen & {kind for kind, _ in mine ^ theirs})
    deeper = {kind for kind, _ in mine} == {kind for kind, _ in theirs}
    deeper = deeper and (mine <= theirs or theirs <= mine)
    # A reading may take one sum for two that rest on each other, where nothing spells them out.
    return WEAK if deeper and one.family != "triton" else STRONG


def _results(one: Idea, other: Idea) -> frozenset[tuple[str, int]]:
    """What is found out; where sums grow and are rescaled, whatever the order."""
    if one.rescaled and other.rescaled:
        return frozenset((kind, 0) for kind, _ in one.found)
    return one.found


def _kept(one: Idea, other: Idea) -> float:
    return STRONG * any(not _kept_in_both(kept, one, other) for kept in one.kept ^ other.kept)


def _kept_in_both(kept: str, one: Idea, other: Idea) -> bool:
    """Whether both need such a copy, so that the reading lost it in one."""
    mine, theirs = one.census, other.census
    place = kept.partition(":")[0]
    if place == "shared":
        lost = _lost(one, other) and mine.shared and theirs.shared
        return bool(lost) or mine.shared == theirs.shared
    if place not in ("scratch", "workspace"):
        return False
    # How results lie in memory that both make says less than that both make some.
    both = all(any(k.startswith(place) for k in idea.kept) for idea in (one, other))
    # A container of the library holds them, or a kernel that hands them on to the next.
    held = bool(mine.algorithm) and mine.algorithm == theirs.algorithm
    return both or held or one.kernels == other.kernels > 1


def _order(one: Idea, other: Idea) -> float:
    if one.nests == other.nests or _lost(one, other):
        return 0
    if one.family == "cpp":
        if one.nests & other.nests and one.nests ^ other.nests == {"o"}:
            # One more loop that fills or copies; what it is for is told by what is kept.
            return 0
        # Inside a tile that is held in registers, any order gives the same.
        return WEAK if "register tile" in one.kept & other.kept else STRONG
    both = bool(one.nests and other.nests)
    if one.family == "pytorch":
        both = both or "loop" in one.census.used & other.census.used
    return WEAK if both else STRONG


def _operators(one: Idea, other: Idea) -> float:
    mine, theirs = one.census, other.census
    seen = (mine.operators ^ theirs.operators) - {JOINED}
    read = (one.operators ^ other.operators) - {JOINED}
    return STRONG * (bool(seen or mine.algorithm != theirs.algorithm) and bool(read))


def _products(one: Idea, other: Idea) -> float:
    # Weights that are joined first give one product for several.
    joined = JOINED in one.operators ^ other.operators
    return STRONG * (joined and one.census.products != other.census.products)


def _lost(one: Idea, other: Idea) -> bool:
    """Whether the reading of one lost what it finds out, of which the census saw signs."""
    if one.family not in ("cuda", "cpp") or bool(one.found) == bool(other.found):
        return False
    empty = other if one.found else one
    return bool(empty.census.used & _GATHERING)
