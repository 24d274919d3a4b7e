"""Declarations of C++: variables, arrays and where they lie, objects of structures.

Start at `Declaring.declare`. Not here: whether a statement is one (`declarations`).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from coordinator.distance.declarations import Declaration
from coordinator.distance.given import Given
from coordinator.distance.looping import Looping
from coordinator.distance.syntax import Expression
from coordinator.distance.values import UNKNOWN, Cell, Known, Memory, Place, all_of

LARGE = 1_024
"""Elements of an array beyond which it is memory, and no set of registers."""
THREADS = frozenset(("std.thread", "std.jthread", "std.async", "pthread_create"))
_HEAP = ("vector", "std.vector", "unique_ptr", "std.unique_ptr", "valarray", "std.valarray")


class Declaring(Looping, ABC):
    """The part of a reading that declares."""

    def declare(self, kind: Declaration, one: Expression, given: Known | None = None) -> None:
        """One of the names that a declaration gives."""
        if one.kind == "assign" and len(one.parts) == 2:
            if one.parts[0].kind == "list":
                for part in one.parts[0].parts:
                    self.scope[part.text] = Cell(value=UNKNOWN, home=self.depth)
                self.value(one)
                return
            value = self._set_to(kind, one.parts[1])
            self.declare(kind, one.parts[0], value)
        elif one.kind == "unary" and one.parts:
            self.declare(kind, one.parts[0], given)
        elif one.kind == "index":
            self._array(kind, one, given)
        elif one.kind == "call":
            value = self._constructed(kind, one)
            self.scope[one.parts[0].text] = Cell(value=value, home=self.depth)
        elif one.kind == "name":
            value = given if given is not None else self._constructed(kind, one)
            self.scope[one.text] = Cell(value=value, home=self.depth)

    def _set_to(self, kind: Declaration, right: Expression) -> Known:
        if right.kind == "list" and kind.type in self.program.structures:
            values = tuple(self.value(part) for part in right.parts)
            return self.new_object(kind.type, Given(right.parts, values))
        found = self.value(right)
        in_shared = found.memory is not None and found.memory.place == "shared"
        pointed = right.kind == "unary" and right.text == "*" and self.address(right).memory
        if kind.type in self.program.structures and (in_shared or pointed):
            # Raw shared memory, looked at as a structure.
            made = self.new_object(kind.type, None)
            if made.cell is not None:
                _shared(made.cell)
            return made
        return found

    def _constructed(self, kind: Declaration, one: Expression) -> Known:
        parts = one.parts[1:]
        values = tuple(self.value(part) for part in parts)
        if kind.type in _HEAP:
            found = self.made_memory("scratch")
            held = all_of(values).memory
            return Known(memory=held) if held is not None else found
        if kind.type in self.program.structures and not kind.pointer:
            made = self.new_object(kind.type, Given(parts, values) if parts else None)
            if kind.shared and made.cell is not None:
                _shared(made.cell)
            return made
        if kind.type in THREADS:
            self.called_back(values)
        if kind.shared:
            return Known(memory=Memory(value=UNKNOWN, place="shared", name="one", home=self.depth))
        return all_of(values)

    def _array(self, kind: Declaration, one: Expression, given: Known | None) -> None:
        sizes: list[Known] = []
        while one.kind == "index" and one.parts:
            sizes += [self.value(part) for part in one.parts[1:]] or [UNKNOWN]
            one = one.parts[0]
        place = self._array_place(kind, sizes)
        if kind.type in self.program.structures and place == "local" and not kind.pointer:
            # All its elements are one.
            self.scope[one.text] = Cell(value=self.new_object(kind.type, None), home=self.depth)
            return
        start = given.plain() if given is not None else UNKNOWN
        memory = Memory(value=start, place=place, name=one.text, home=self.depth)
        self.scope[one.text] = Cell(value=Known(memory=memory), home=self.depth)

    def _array_place(self, kind: Declaration, sizes: Sequence[Known]) -> Place:
        if kind.shared:
            return "shared"
        large = _product(sizes) > LARGE or "size" in all_of(sizes).origins
        return "scratch" if large and not self.device else "local"

    def new_object(self, kind: str, given: Given | None) -> Known:
        """An object of a structure of the program."""
        made = Cell(value=UNKNOWN, home=self.depth, type=kind)
        types, self.types = self.types, {}
        outside, self.scope = self.scope, {}
        for node in self.program.structures[kind].body:
            if node.kind == "plain" and node.head and not node.head[0].startswith(("#", "friend")):
                self.statement(node.head)
        made.fields, self.scope = {**self.scope, **types}, outside
        found = Known(cell=made)
        if given is None:
            return found
        maker = "__init__" if self.program.python else kind
        if maker in self.program.functions:
            for node in self._overloads(maker, len(given.values))[:1]:
                self._run(node, given, {}, made)
            return found
        for cell, value in zip(made.fields.values(), given.values, strict=False):
            held = cell.value.memory
            if held is not None and value.memory is None:
                self.store(held, cell.value, all_of(given.values))
            else:
                cell.value = value
        return found


def _shared(cell: Cell) -> None:
    for inner in cell.fields.values():
        if inner.value.memory is not None:
            inner.value.memory.place = "shared"


def _product(sizes: Sequence[Known]) -> int:
    total = 1
    for size in sizes:
        total *= size.number if size.number is not None else 1
    return total
