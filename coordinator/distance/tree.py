"""The statements of C++ as a tree: loops, branches, functions, plain ones.

    words of C++ -> Node, Node…

Forgiving: what it cannot read becomes a plain statement, since a compiler has the last word on what
is a program. Start at `braced`. Not here: Python (`layout`), what statements do (`reading`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

MAX_DEPTH = 60
"""Statements inside each other; what is deeper is not looked at."""
MAX_STATEMENT = 1_500
"""Words of one statement; what follows is not looked at."""
MAX_HEAD = 400
"""Words before a brace, beyond which it begins a list of values."""
_LOOPS, _BRANCHES = ("for", "while"), ("if", "switch")
_TRANSPARENT = ("namespace", "struct", "class", "union")
_MARKS = ("__attribute__", "__launch_bounds__", "__align__", "alignas", "__cluster_dims__")
_AFTER_HEAD = ("const", "noexcept", "override", "mutable")


@dataclass(frozen=True)
class Node:
    """One statement."""

    kind: Literal["plain", "loop", "branch", "function", "block"]
    head: tuple[str, ...] = ()
    """A plain statement's words; of others what stands before the body."""
    body: tuple["Node", ...] = ()
    name: str = ""


def braced(words: Sequence[str]) -> tuple[Node, ...]:
    """The statements of C++."""
    return _Braced(words).block(0)


class _Braced:
    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._at = 0

    def block(self, depth: int) -> tuple[Node, ...]:
        """Statements up to a closing brace, or the end."""
        nodes: list[Node] = []
        while self._at < len(self._words):
            if self._word() == "}":
                self._at += 1
                break
            before = self._at
            node = self._statement(depth + 1)
            if node is not None:
                nodes.append(node)
            if self._at == before:
                self._at += 1
        return tuple(nodes)

    def _word(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _statement(self, depth: int) -> Node | None:
        word = self._word()
        if depth > MAX_DEPTH:
            self._skip()
            return None
        if word in _LOOPS or word in _BRANCHES:
            self._at += 1
            if self._word() == "constexpr":
                self._at += 1
            head = self._group()
            return Node("loop" if word in _LOOPS else "branch", head, self._body(depth))
        if word == "else":
            self._at += 1
            return Node("branch", ("else",), self._body(depth))
        if word == "do":
            return self._do(depth)
        if word == "{":
            self._at += 1
            return Node("block", (), self.block(depth))
        if word.startswith("#"):
            self._at += 1
            return Node("plain", (word,))
        return self._plain(depth)

    def _body(self, depth: int) -> tuple[Node, ...]:
        # A pragma stands before its loop, and is no body of its own.
        node = self._statement(depth + 1)
        return (node,) if node is not None else ()

    def _do(self, depth: int) -> Node:
        self._at += 1
        body = self._body(depth)
        head: tuple[str, ...] = ()
        if self._word() == "while":
            self._at += 1
            head = self._group()
        return Node("loop", head, body)

    def _group(self) -> tuple[str, ...]:
        """What is in brackets here; empty where there are none."""
        if self._word() != "(":
            return ()
        start, depth = self._at + 1, 0
        while self._at < len(self._words):
            depth += (self._word() == "(") - (self._word() == ")")
            self._at += 1
            if depth == 0:
                break
        return tuple(self._words[start : min(self._at - 1, start + MAX_STATEMENT)])

    def _skip(self) -> None:
        depth = 0
        while self._at < len(self._words) and not (depth == 0 and self._word() == "}"):
            depth += (self._word() == "{") - (self._word() == "}")
            self._at += 1

    def _plain(self, depth: int) -> Node:
        head: list[str] = []
        inside: list[Node] = []
        brackets = 0
        while self._at < len(self._words):
            word = self._word()
            if brackets == 0 and word in (";", "}"):
                self._at += word == ";"
                break
            if word == "{" and (opened := self._opened(head, brackets)):
                self._at += 1
                node = Node(opened.kind, tuple(head), self.block(depth + 1), opened.name)
                if opened.ends:
                    return node
                inside.append(node)
                continue
            brackets = max(0, brackets + (word in "([{") - (word in ")]}"))
            if len(head) < MAX_STATEMENT:
                head.append(word)
            self._at += 1
        return Node("plain", tuple(head), tuple(inside))

    def _opened(self, head: list[str], brackets: int) -> "_Opened | None":
        """What a brace begins here; None: a list of values."""
        if len(head) > MAX_HEAD:
            return None
        if not brackets and ((head[:1] and head[0] in _TRANSPARENT) or head == ["extern", '"C']):
            return _Opened("block", "", True)
        last = head[-1] if head else ""
        if name := _lambda(head):
            return _Opened("function", name, False)
        if not brackets and (last == ")" or last in _AFTER_HEAD) and "=" not in head:
            return _Opened("function", function_name(head), True)
        return _Opened("block", "", False) if last in (")", "]") and brackets else None


class _Opened(NamedTuple):
    kind: Literal["block", "function"]
    name: str
    ends: bool
    """Whether the statement is over with the brace that closes it."""


def function_name(head: Sequence[str]) -> str:
    """What a function's head calls it."""
    for at, word in enumerate(head[1:], 1):
        before = head[at - 1]
        if word == "(" and (before[:1].isalpha() or before[:1] == "_") and before not in _MARKS:
            return before.rpartition(".")[2]
    return ""


def _lambda(head: Sequence[str]) -> str:
    """The name that a lambda is given here, or nothing."""
    if "=" not in head:
        return ""
    at = head.index("=")
    introduced = head[at + 1 : at + 2] == ["["] and head[-1] in (")", "]", "mutable")
    return head[at - 1] if introduced and at else ""


class Parameter(NamedTuple):
    """One parameter of a function."""

    name: str
    pointer: bool
    """Whether it points, or refers, to something."""


def parameters(head: Sequence[str]) -> tuple[Parameter, ...]:
    """A function's parameters, from its head."""
    if "[" in head and "=" in head and head.index("=") < head.index("["):
        opened = head.index("(") if "(" in head else len(head)
    else:
        opened = _first_bracket(head)
    found: list[Parameter] = []
    depth, piece = 0, [""]
    for word in head[opened + 1 :]:
        depth += (word in "([{<") - (word in ")]}>")
        if depth < 0 or (word == "," and depth == 0):
            found.append(_parameter(piece))
            piece = [""]
            if depth < 0:
                break
        else:
            piece.append(word)
    return tuple(one for one in found if one.name)


def _first_bracket(head: Sequence[str]) -> int:
    name = function_name(head)
    for at, word in enumerate(head[1:], 1):
        if word == "(" and head[at - 1].rpartition(".")[2] == name:
            return at
    return len(head)


def _parameter(piece: Sequence[str]) -> Parameter:
    pointer = "*" in piece or "[" in piece or "vector" in piece
    for stop in ("=", ":", "["):
        if stop in piece:
            piece = piece[: piece.index(stop)]
    names = [word for word in piece if word[:1].isalpha() or word[:1] == "_"]
    return Parameter(names[-1] if names else "", pointer)
