"""What expressions give, and what is read on the way.

    Expression -> Known

It is a reading, not a run: a value is what it came from and what it rests on. Start at
`Evaluating.value`. Not here: what loops find out (`gathering`), calls (`calling`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from coordinator.distance.arithmetic import Arithmetic
from coordinator.distance.syntax import Expression
from coordinator.distance.values import UNKNOWN, Cell, Known, all_of

MAX_STEPS = 60_000
"""Expressions of one program that are read, calls in place."""
MAX_INSIDE = 90
"""Expressions and calls inside each other."""
_BUILT_IN = {"threadIdx": "thread", "blockIdx": "block", "gridDim": "grid"}
_SIZES = frozenset(("shape", "size", "numel", "ndim", "stride", "dim", "nelement", "sizes"))
_TURNED = frozenset(("T", "mT", "t", "H"))
SIZE = Known(origins=frozenset(("size",)))


class Evaluating(Arithmetic, ABC):
    """The part of a reading that looks at expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.scope: dict[str, Cell] = {}
        self.globals: dict[str, Cell] = {}
        self.object: Cell | None = None
        """The object whose method is read."""
        self.steps = MAX_STEPS
        self.inside = 0

    @abstractmethod
    def call(self, expression: Expression) -> Known:
        """A call, or a launch."""

    @abstractmethod
    def operator(self, kind: str, values: Sequence[Known]) -> Known:
        """A library operator that gathers something."""

    @abstractmethod
    def note_leaf(self) -> None:
        """Note that the present loop holds work."""

    @abstractmethod
    def known_function(self, name: str) -> bool:
        """Whether the program has a function of this name."""

    def value(self, expression: Expression) -> Known:
        """What is known of its value; what it does is noted on the way."""
        self.steps -= 1
        if self.steps < 0 or self.inside > MAX_INSIDE:
            return UNKNOWN
        self.inside += 1
        found: Known = getattr(self, f"_{expression.kind}")(expression)
        self.inside -= 1
        return found

    # --- names --------------------------------------------------------------------------------

    def _name(self, expression: Expression) -> Known:
        return self.named(expression.text)

    def named(self, name: str) -> Known:
        """What a name stands for, dotted or not."""
        cell = self.cell_of(name)
        if cell is not None:
            return self.read(cell)
        first, dot, rest = name.partition(".")
        holder = self.cell_of(first) if dot else None
        if holder is not None:
            return self._member_of(self.read(holder), holder, rest)
        if first in _BUILT_IN:
            return Known(origins=frozenset((_BUILT_IN[first],)))
        return Known(function=name)

    def cell_of(self, name: str) -> Cell | None:
        """The variable of this name, fields of the object at hand included."""
        found = self.scope.get(name)
        if found is None and self.object is not None:
            found = self.object.fields.get(name)
        if found is None:
            found = self.globals.get(name)
        if found is None and "." in name:
            first, _, rest = name.partition(".")
            if first == "this":
                return self.cell_of(rest)
            holder = self.cell_of(first)
            target = holder.value.cell if holder is not None and holder.value.cell else holder
            return target.fields.get(rest) if target is not None else None
        return found

    def _member(self, expression: Expression) -> Known:
        base = self.value(expression.parts[0])
        if base.cell is not None and expression.text in base.cell.fields:
            return self.read(base.cell.fields[expression.text])
        return self._member_of(base, base.cell, expression.text)

    def _member_of(self, base: Known, cell: Cell | None, rest: str) -> Known:
        last = rest.rpartition(".")[2]
        if last in _SIZES:
            return SIZE
        if last in _TURNED and self.host:
            return replace(base, view=base.view | {"turned"})
        if cell is not None and cell.fields and len(rest) < 3 and base.memory is None:
            return base
        return base

    def _number(self, expression: Expression) -> Known:
        text = expression.text.rstrip("uUlLzZ")
        try:
            return Known(number=int(text, 0))
        except ValueError:
            return UNKNOWN

    def _string(self, expression: Expression) -> Known:
        return UNKNOWN

    # --- operators ----------------------------------------------------------------------------

    def _unary(self, expression: Expression) -> Known:
        word, operand = expression.text, expression.parts[0]
        if word == "&":
            return self.address(operand)
        found = self.value(operand)
        if word == "*":
            return self.pointed_at(found)
        if word == "-" and found.number is not None:
            return replace(found, number=-found.number)
        return (
            replace(found, number=None)
            if word in "+-"
            else replace(found.done("bits@0"), found=frozenset())
        )

    def pointed_at(self, found: Known) -> Known:
        """What lies where a pointer points."""
        if found.memory is not None:
            return self.load(found.memory, found)
        return self.read(found.cell) if found.cell is not None and not found.cell.fields else found

    def address(self, operand: Expression) -> Known:
        """What ``&`` gives: a pointer into memory, or to a variable."""
        if operand.kind == "index":
            base = self.value_of_array(operand.parts[0])
            if base.memory is not None:
                return self.shifted(base, self.where(operand))
        if operand.kind == "member" and operand.parts[0].kind == "index":
            return self.address(operand.parts[0])
        if operand.kind == "call":
            return self.call(operand)
        if operand.kind == "unary" and operand.text == "*":
            return self.value(operand.parts[0])
        cell = self.target(operand)
        if cell is None:
            return self.value(operand)
        return (
            Known(cell=cell)
            if cell.value.memory is None and cell.value.cell is None
            else cell.value
        )

    def target(self, operand: Expression) -> Cell | None:
        """The variable that an expression names, if it is one."""
        if operand.kind == "name":
            return self.cell_of(operand.text)
        if operand.kind == "member":
            base = self.value(operand.parts[0])
            return base.cell.fields.get(operand.text) if base.cell is not None else None
        if operand.kind == "unary" and operand.text == "*":
            return self.value(operand.parts[0]).cell
        return None

    def _binary(self, expression: Expression) -> Known:
        word = expression.text
        one = self.value(expression.parts[0])
        if one.cell is not None and one.cell.type and self.known_function(f"operator{word}"):
            member = Expression("member", f"operator{word}", expression.parts[:1])
            return self.value(Expression("call", "", (member, expression.parts[1])))
        other = self.value(expression.parts[1])
        if word == "@" and self.host:
            self.note_leaf()
            return self.operator("product", (one, other))
        if self.host:
            one, other = self.tensor(one), self.tensor(other)
        if word in ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "and", "or", "in", "is"):
            return replace(
                one.joined(other).plain(), found=frozenset(), level=max(one.level, other.level)
            )
        return self.combined(word, one, other)

    def _choice(self, expression: Expression) -> Known:
        condition, first, second = expression.parts
        compared = condition.kind == "binary" and condition.text in ("<", ">", "<=", ">=")
        if compared and set(condition.parts) == {first, second}:
            return self.larger(self.value(first), self.value(second))
        asked = self.value(condition)
        if condition.text == "==" and second.kind == "number" and not second.text.strip("0.f"):
            # Of many the one that is meant: whatever gathers them, nothing is found out.
            picked = self.value(first)
            return replace(picked, found=frozenset(("sum", "max")), number=None)
        found = self.value(first).joined(self.value(second))
        return replace(found, number=None, clipped=found.clipped | asked.origins | found.origins)

    def _slice(self, expression: Expression) -> Known:
        found = all_of(self.value(part) for part in expression.parts)
        return replace(found.plain(), data=False)

    def _list(self, expression: Expression) -> Known:
        items = tuple(self.value(part) for part in expression.parts)
        return replace(all_of(items), items=items, number=None, function="")

    def _keyword(self, expression: Expression) -> Known:
        return self.value(expression.parts[0])

    # --- memory -------------------------------------------------------------------------------

    def _index(self, expression: Expression) -> Known:
        base = self.value(expression.parts[0])
        if base.cell is not None and base.cell.fields and not self.host:
            if not self.known_function("operator["):
                # Of an array of structures, all elements are one.
                self.where(expression)
                return base
            return self.value(
                Expression(
                    "call",
                    "",
                    (
                        Expression("member", "operator[", expression.parts[:1]),
                        *expression.parts[1:],
                    ),
                )
            )
        where = self.where(expression)
        if self.host and (base.memory is not None or base.data):
            return replace(base, items=(), origins=base.origins | where.origins)
        if (
            base.items
            and where.number is not None
            and -len(base.items) <= where.number < len(base.items)
        ):
            return base.items[where.number]
        if base.memory is not None:
            return self.load(base.memory, self.shifted(base, where))
        return replace(base, items=(), origins=base.origins | where.origins, function="")

    def where(self, expression: Expression) -> Known:
        """What an index says."""
        found = [self.value(part) for part in expression.parts[1:]]
        return found[0] if len(found) == 1 else replace(all_of(found), number=None)

    def shifted(self, base: Known, where: Known) -> Known:
        """A pointer moved on."""
        return replace(
            base,
            origins=base.origins | where.origins,
            clipped=base.clipped | where.clipped,
            items=(),
        )

    def value_of_array(self, target: Expression) -> Known:
        """An array whose element is written: of several dimensions, the whole."""
        if target.kind != "index":
            return self.value(target)
        base = self.value_of_array(target.parts[0])
        return self.shifted(base, self.where(target)) if base.memory is not None else base

    def tensor(self, value: Known) -> Known:
        """What a tensor of host code holds."""
        if value.memory is None:
            return value
        held = self.read_memory(value.memory, value)
        return replace(held, view=value.view, origins=value.origins | held.origins)
