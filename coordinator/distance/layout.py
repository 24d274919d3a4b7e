"""The statements of Python as the same tree: its lines, by how far in they stand.

    tokens -> Line, Line… -> Node, Node…

Start at `lines`, then `indented`. Not here: C++ (`tree`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coordinator.distance.preprocess import joined
from coordinator.distance.tree import MAX_DEPTH, MAX_STATEMENT, Node
from coordinator.source_tokens import Token


class Line(NamedTuple):
    """One logical line of Python."""

    column: int
    words: tuple[str, ...]


def lines(tokens: Iterable[Token]) -> list[Line]:
    """The logical lines: brackets and backslashes carry on."""
    found: list[Line] = []
    words: list[str] = []
    column = brackets = 0
    for token in tokens:
        if token.column >= 0 and brackets == 0 and (not words or words[-1] != "\\"):
            if words:
                found.append(Line(column, tuple(joined(words))))
            words, column = [], token.column
        if token.text in "([{":
            brackets += 1
        elif token.text in ")]}":
            brackets = max(0, brackets - 1)
        if len(words) < MAX_STATEMENT:
            words.append(token.text)
    if words:
        found.append(Line(column, tuple(joined(words))))
    return found


def indented(found: Sequence[Line]) -> tuple[Node, ...]:
    """The statements of Python."""
    return _block(found, 0, -1, 0)[0]


_HEADS = {"for": "loop", "while": "loop", "if": "branch", "elif": "branch", "else": "branch",
          "try": "block", "except": "branch", "finally": "block", "with": "block",
          "class": "struct", "def": "function"}  # fmt: skip


def _block(
    found: Sequence[Line], at: int, outside: int, depth: int
) -> tuple[tuple[Node, ...], int]:
    """The lines from `at` on that stand further in than `outside`, and where they end."""
    nodes: list[Node] = []
    while at < len(found) and found[at].column > outside:
        line = found[at]
        words = line.words[1:] if line.words[0] == "async" else line.words
        colon = _colon(words)
        kind = _HEADS.get(words[0]) if words and colon else None
        if kind is None:
            nodes.append(Node("plain", words))
            at += 1
            continue
        body, after = (
            _block(found, at + 1, line.column, depth + 1) if depth < MAX_DEPTH else ((), 0)
        )
        rest = words[colon + 1 :]
        if rest:
            body = (Node("plain", rest),)
        at = max(after, at + 1)
        nodes.append(_headed(kind, words[:colon], body))
    return tuple(nodes), at


def _headed(kind: str, words: tuple[str, ...], body: tuple[Node, ...]) -> Node:
    if kind == "function":
        return Node("function", words[1:], body, words[1] if len(words) > 1 else "")
    if kind == "struct":
        return Node("struct", words, body, words[1] if len(words) > 1 else "")
    if kind == "loop":
        return Node("loop", words, body)
    return Node("branch", words, body) if kind == "branch" else Node("block", words, body)


def _colon(words: Sequence[str]) -> int:
    """Where a head's colon stands; 0: there is none."""
    depth = 0
    for at, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if word == ":" and depth == 0:
            return at
    return 0
