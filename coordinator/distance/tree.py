"""The statements of C++ as a tree: loops, branches, functions, plain ones.

    words of C++ -> Node, Node…

Forgiving: what it cannot read becomes a plain statement, since a compiler has the last word on what
is a program. Start at `braced`. Not here: Python (`layout`), what statements do (`reading`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from coordinator.distance.heads import (
    function_name,
    is_assignment,
    lambda_name,
    lambda_start,
    sets_a_field,
    structure_name,
)

MAX_DEPTH = 60
"""Statements inside each other; what is deeper is not looked at."""
MAX_STATEMENT = 1_500
"""Words of one statement; what follows is not looked at."""
MAX_HEAD = 400
"""Words before a brace, beyond which it begins a list of values."""
_LOOPS, _BRANCHES = ("for", "while"), ("if", "switch")
_AFTER_HEAD = ("const", "noexcept", "override", "mutable")


@dataclass(frozen=True)
class Node:
    """One statement."""

    kind: Literal["plain", "loop", "branch", "function", "block", "struct"]
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
        pragmas: list[Node] = []
        while self._word().startswith("#"):
            pragmas.append(Node("plain", (self._word(),)))
            self._at += 1
        node = self._statement(depth + 1)
        return (*pragmas, node) if node is not None else tuple(pragmas)

    def _do(self, depth: int) -> Node:
        self._at += 1
        body = self._body(depth)
        head: tuple[str, ...] = ()
        if self._word() == "while":
            self._at += 1
            head = self._group()
        # The macro's way of making several statements one.
        return Node("block" if head in (("0",), ("false",)) else "loop", head, body)

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
            if word == "{" and brackets and (start := lambda_start(head)):
                self._at += 1
                name = f"lambda.{self._at}"
                made = ("auto", name, "=", *head[start:])
                inside.append(Node("function", made, self.block(depth + 1), name))
                head[start:] = [name]
                continue
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
        if len(head) > MAX_HEAD or sets_a_field(head):
            return None
        if not brackets and (head[:1] == ["namespace"] or head == ["extern", '"C']):
            return _Opened("block", "", True)
        if not brackets and (name := structure_name(head)):
            return _Opened("struct", name, True)
        last = head[-1] if head else ""
        if name := lambda_name(head):
            return _Opened("function", name, False)
        ends = last == ")" or last in _AFTER_HEAD or "->" in head
        ends = ends or (last == "}" and sets_a_field(head[: -1 - head[::-1].index("{")]))
        if not brackets and ends and not is_assignment(head):
            return _Opened("function", function_name(head), True)
        return None


class _Opened(NamedTuple):
    kind: Literal["block", "function", "struct"]
    name: str
    ends: bool
    """Whether the statement is over with the brace that closes it."""
