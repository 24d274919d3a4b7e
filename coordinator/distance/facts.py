"""What is known of a name while a program is read: where it points, what it came from.

Start at `Fact`. Not here: how it is found out (`reading`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from coordinator.distance.preprocess import arguments

MAX_DEPS = 48
"""Names that one name is known to come from, at most."""
_PLACES = ("shared", "scratch", "local", "global")
_ORIGINS = {"threadIdx": "thread", "blockIdx": "block", "gridDim": "grid"}
_COMPOUND = {"+": "sum", "-": "sum", "*": "scale", "/": "scale", "|": "bits", "^": "bits",
             "&": "bits", "%": "bits", "<": "bits", ">": "bits"}  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """One name, or one expression."""

    place: str = ""
    """Which memory it points into; empty: none that is known."""
    origins: frozenset[str] = frozenset()
    """thread, block, grid: what of a launch it depends on."""
    deps: frozenset[str] = frozenset()
    """The names that it comes from."""
    ops: frozenset[str] = frozenset()
    """What was done to get it."""
    data: bool = False
    """Whether it comes from memory."""
    home: int = -1
    """The region that it was defined in."""

    def joined(self, other: "Fact") -> "Fact":
        """What is known of an expression over both."""
        return Fact(
            place=min(self.place, other.place, key=_rank),
            origins=self.origins | other.origins,
            deps=_few(self.deps | other.deps),
            ops=self.ops | other.ops,
            data=self.data or other.data,
            home=self.home,
        )

    def at(self, home: int) -> "Fact":
        """The same, defined in this region."""
        return replace(self, home=home)


NOTHING = Fact()


def _rank(place: str) -> int:
    return _PLACES.index(place) if place in _PLACES else len(_PLACES)


def _few(names: frozenset[str]) -> frozenset[str]:
    return names if len(names) <= MAX_DEPS else frozenset(sorted(names)[:MAX_DEPS])


def origin_of(name: str) -> frozenset[str]:
    """What a built-in variable of CUDA says of the launch."""
    known = _ORIGINS.get(name.partition(".")[0])
    return frozenset((known,)) if known else frozenset()


def is_name(word: str) -> bool:
    """Whether it could be somebody's name."""
    return word[:1].isalpha() or word[:1] == "_"


def pieces(words: Sequence[str]) -> list[list[str]]:
    """A statement's parts between commas: each may be a declaration or an assignment."""
    return arguments(["(", *words, ")"], 0)[0]


@dataclass(frozen=True)
class Assignment:
    """What is written where."""

    target: tuple[str, ...]
    value: tuple[str, ...]
    compound: str = ""
    """For ``+=`` and its like: sum, scale, bits."""


def assignment(words: Sequence[str]) -> Assignment | None:
    """The first assignment of a statement, if it is one."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if word != "=" or depth or not at:
            continue
        before, after = words[at - 1], words[at + 1] if at + 1 < len(words) else ""
        if after == "=" or before == "=" or before == "!":
            continue
        if before in "<>" and words[at - 2 : at - 1] != [before]:
            continue
        known = _COMPOUND.get(before, "")
        target = words[: at - 1] if known else words[:at]
        while target and not is_name(target[-1]) and target[-1] in "<>*/":
            target = target[:-1]
        return Assignment(tuple(target), tuple(words[at + 1 :]), known)
    return None


def target_name(target: Sequence[str]) -> tuple[str, str]:
    """The name that is written, and how: name, index, pointer."""
    if target[:1] == ("*",):
        return next((word for word in target if is_name(word)), ""), "pointer"
    depth, name, indexed = 0, "", False
    for word in target:
        if depth == 0 and is_name(word):
            name, indexed = word, False
        depth += (word in "([{") - (word in ")]}")
        indexed = indexed or (word == "[" and depth == 1)
    return name, "index" if indexed else "name"


def names_in(words: Iterable[str]) -> frozenset[str]:
    """All names in an expression, members by their object as well."""
    found = set()
    for word in words:
        if is_name(word):
            found.add(word)
            found.add(word.partition(".")[0])
    return frozenset(found)
