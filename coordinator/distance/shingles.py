"""The words of a program's functions in runs of a few, names and constants alike.

    Program -> shingles

A set, per function: so neither the order of functions nor code written out several times counts.
Start at `shingles`. Not here: which functions are called (`reading`).
"""

from collections.abc import Iterable, Iterator

from coordinator.distance.facts import is_name
from coordinator.distance.tree import Node
from coordinator.distance.vocabulary import kind_of

LENGTH = 4
MAX_SHINGLES = 20_000
Shingle = tuple[str, ...]


def shingles(functions: Iterable[Node]) -> frozenset[Shingle]:
    """All runs of the functions given."""
    found: set[Shingle] = set()
    for function in functions:
        words = list(_words(function.body))
        for at in range(len(words) - LENGTH + 1):
            found.add(tuple(words[at : at + LENGTH]))
            if len(found) >= MAX_SHINGLES:
                return frozenset(found)
    return frozenset(found)


def _words(nodes: Iterable[Node]) -> Iterator[str]:
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        if node.kind in ("loop", "branch"):
            yield node.kind
        for word in node.head:
            yield _normal(word)
        yield ";"
        pending += node.body[::-1]


def _normal(word: str) -> str:
    if is_name(word):
        return kind_of(word) or "n"
    return "0" if word[:1].isdigit() else word[:1]
