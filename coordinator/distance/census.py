"""What a program uses wherever it is reached: a count of words that follows no values.

    Program -> Census

The second witness. A reading (`reading`) knows what becomes of each value, and loses the thread
where code is written in a way that it does not know; a census knows only what is called, launched
and declared on the way from where the program begins, and hardly any way of writing hides that.
What only one of the two has seen is no evidence that two ideas differ.

Start at `census_of`. Not here: what is made of it (`differences`), what names mean (`vocabulary`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coordinator.distance import vocabulary
from coordinator.distance.program import Program
from coordinator.distance.syntax import is_name
from coordinator.distance.tree import Node

MAX_NODES = 12_000
"""Statements that are looked at, calls in place."""
MAX_CALLS = 16
"""Calls inside each other."""
_CONSTANT_FAILS = (("if", "False"), ("if", "0"), ("false",), ("0",))
_PARTS = frozenset(("range", "split", "chunk", "tensor_split", "unbind", "while"))
"""What a loop of host code goes over, where it goes over parts of tensors."""
ALGORITHMS = ("heap", "select", "sorted", "scanned")
"""Of what a library has, each another idea; the first of them is what counts."""


@dataclass(frozen=True)
class Census:
    """What is used where it is reached."""

    used: frozenset[str]
    """Kinds of work, as `vocabulary` calls them."""
    launched: tuple[int, int]
    """Kernels that are launched, and launches."""
    shared: int
    """Arrays in shared memory."""
    algorithm: str
    """The algorithm of a library that it rests on, if any."""
    operators: frozenset[str]
    """Library operators that are ideas of their own."""
    products: int
    """Matrix products of the library."""


def census_of(program: Program) -> Census:
    """The census of a program."""
    taker = _Taker(program)
    taker.take()
    used = taker.used
    return Census(
        used=frozenset(kind for kind, times in used.items() if times and kind),
        launched=(len(taker.kernels), taker.launches),
        shared=used["shared"],
        algorithm=next((one for one in ALGORITHMS if used[one]), ""),
        operators=frozenset(taker.operators),
        products=used["product"],
    )


class _Taker:
    def __init__(self, program: Program) -> None:
        self.used: Counter[str] = Counter()
        self.operators: set[str] = set()
        self.kernels: set[str] = set()
        self.launches = 0
        self._program = program
        self._inside: list[int] = []
        self._left = MAX_NODES
        self._shared: set[str] = set()
        self._device = False
        self._objects: set[str] = set()
        self._called_by_objects: set[int] = set()

    def take(self) -> None:
        program = self._program
        for node in program.outside:
            self._node(node)
        plan = program.plan
        if plan is None:
            for node in program.begins():
                self._inline(node)
            return
        for launch in plan.kernels:
            self._launch(launch.kernel)

    def _launch(self, name: str) -> None:
        self.kernels.add(name)
        self.launches += 1
        outside, self._device = self._device, True
        self._enter(name)
        self._device = outside

    def _enter(self, name: str) -> None:
        for node in self._program.functions.get(name, ())[:4]:
            if id(node) not in self._called_by_objects:
                self._inline(node)

    def _inline(self, node: Node) -> None:
        if id(node) in self._inside or len(self._inside) > MAX_CALLS:
            return
        self._inside.append(id(node))
        head = node.head
        self._words(head[head.index(")") + 1 :] if ")" in head else ())
        for inner in node.body:
            self._node(inner)
        self._inside.pop()

    def _node(self, node: Node) -> None:
        self._left -= 1
        if self._left < 0 or node.kind == "struct":
            return
        if node.kind == "branch" and node.head[:2] in _CONSTANT_FAILS:
            return
        if node.kind == "loop":
            before = self.used["gathers"]
            self._words(node.head)
            # What moves a loop on gathers nothing.
            self.used["gathers"] = before
        elif node.kind != "function":
            self._words(node.head)
        elif not self._inside:
            return
        for inner in node.body:
            self._node(inner)

    # --- words --------------------------------------------------------------------------------

    def _words(self, words: Sequence[str]) -> None:
        if words[:1] in (("import",), ("from",), ("typedef",)):
            return
        if "__shared__" in words:
            self._declared_shared(words)
        for at, word in enumerate(words):
            if word[:1] == '"':
                self.used[vocabulary.in_assembly(word[1:])] += 1
            elif word == "@" and self._program.python and at:
                self.used["product"] += 1
            elif word[:1] == "#" and "omp parallel" in word:
                self.used["threads"] += 1
            elif word in ("for", "while") and self._program.python:
                self.used["loop"] += any(one.rpartition(".")[2] in _PARTS for one in words[at:])
            elif is_name(word):
                self._name(word, at, words)
            elif word == "?" or (word == "+" and words[at + 1 : at + 2] == ("=",)):
                self.used["gathers"] += 1

    def _declared_shared(self, words: Sequence[str]) -> None:
        names = [words[at] for at in self._declared(words)]
        self.used["shared"] += len(names)
        self._shared.update(names)

    def _declared(self, words: Sequence[str]) -> Iterator[int]:
        """Where the names stand that a declaration gives: before its commas, and its end."""
        depth, last = 0, -1
        for at, word in enumerate(words):
            depth += (word in "([{<") - (word in ")]}>")
            if depth == 0 and is_name(word):
                last = at
            if depth == 0 and word == "," and last >= 0:
                yield last
                last = -1
        if last >= 0:
            yield last

    def _name(self, word: str, at: int, words: Sequence[str]) -> None:
        short = word.rpartition(".")[2]
        after = words[at + 1] if at + 1 < len(words) else ""
        if short in self._program.structures:
            self._made(short)
        elif short in self._program.functions:
            if self._launched(after, at, words):
                self._launch(short)
            else:
                self._enter(short)
        elif self._program.python and "." not in word and words[max(0, at - 1)] != ".":
            return
        elif after in ("(", "<", "{") or word.startswith(("torch.", "tl.")):
            self._called(word, short, after, words[at + 2 : at + 7])
        elif word.startswith("gridDim"):
            self.used["grid"] += 1

    def _made(self, kind: str) -> None:
        """An object of a class of the program: what it does when it is made and called."""
        if kind in self._objects:
            return
        self._objects.add(kind)
        for node in self._program.structures[kind].body:
            if node.kind == "plain":
                self._words(node.head)
        methods = self._program.methods
        for name in ("__init__", "forward", "__call__", "operator(", kind):
            for node in self._program.functions.get(name, ()):
                if methods.get(id(node)) == kind:
                    self._inline(node)
                    self._called_by_objects.add(id(node))

    def _launched(self, after: str, at: int, words: Sequence[str]) -> bool:
        if after == "<":
            # A template that is launched: its angles close before the launch's open.
            rest = list(words[at : at + 60])
            return "<<<" in rest and rest[rest.index("<<<") - 1] == ">"
        return after == "<<<" or (after == "[" and self._program.python and not self._device)

    def _called(self, name: str, short: str, after: str, given: Sequence[str]) -> None:
        used = self.used
        if self._program.python and not name.startswith("tl."):
            if operator := vocabulary.fused_operator(name):
                self.operators.add(operator)
            used[vocabulary.gathered_by(name)] += after == "(" or name.startswith("torch.")
            return
        kind = vocabulary.kind_of(name)
        kind = "lanes" if kind == "across lanes" else kind
        if kind == "atomic" and self._shared.intersection(given):
            kind = "atomic shared"
        used[kind] += 1
        used["grid"] += short == "num_programs"
