"""Assignments: what is written where.

Start at `Assigning.assign_to`. Not here: what becomes of it (`gathering`), values (`evaluating`).
"""

from __future__ import annotations

from abc import ABC
from dataclasses import replace

from coordinator.distance.changes import as_addition
from coordinator.distance.evaluating import Evaluating
from coordinator.distance.notes import Loop
from coordinator.distance.syntax import Expression
from coordinator.distance.values import UNKNOWN, Cell, Known


class Assigning(Evaluating, ABC):
    """The part of a reading that writes."""

    def _step(self, expression: Expression) -> Known:
        target = expression.parts[0]
        old = self.value(target)
        one = Known(number=1)
        self.assign_to(target, replace(self.combined(expression.text[0], old, one), number=None))
        return old

    def _assign(self, expression: Expression) -> Known:
        expression = as_addition(expression)
        target, right = expression.parts
        method = f"operator{expression.text[0]}"
        if expression.text != "=" and self.known_function(method) and self._is_object(target):
            member = Expression("member", method, (target,))
            return self.value(Expression("call", "", (member, right)))
        value = self.value(right)
        if expression.text not in ("=", ":="):
            old = self.value(target)
            if self.host:
                old, value = self.tensor(old), self.tensor(value)
            added = self.combined(expression.text[0], old, value)
            # What is left over after a loop is added to the same sum.
            kept = expression.text == "+=" and "sum" in old.found
            value = (
                replace(added, found=old.found, level=max(old.level, value.level))
                if kept
                else added
            )
            value = replace(value, memory=old.memory if old.memory is not None else value.memory)
        self.assign_to(target, value)
        return value

    def _is_object(self, target: Expression) -> bool:
        cell = self.value(target).cell if target.kind == "name" else None
        return cell is not None and bool(cell.type)

    def assign_to(self, target: Expression, value: Known) -> None:
        """Write a value to what stands on the left."""
        if target.kind == "list":
            for at, one in enumerate(target.parts):
                self.assign_to(
                    one, value.items[at] if at < len(value.items) else replace(value, items=())
                )
            return
        if target.kind == "index":
            self._assign_element(target, value)
            return
        if target.kind == "call":
            self._assign_place(self.call(target), value)
            return
        if target.kind in ("unary", "step") and target.parts:
            base = self.value(target.parts[0] if target.kind == "unary" else target)
            if base.memory is not None:
                self.store(base.memory, base, value)
                return
        cell = self.target(target)
        if cell is not None:
            self.write(cell, value)
        elif target.kind == "name":
            self._assign_new(target.text, value)
        elif target.kind == "member":
            self._assign_member(target, value)

    def _assign_place(self, place: Known, value: Known) -> None:
        if place.memory is not None:
            self.store(place.memory, place, value)
        elif place.cell is not None and not place.cell.fields:
            self.write(place.cell, value)

    def _assign_new(self, name: str, value: Known) -> None:
        first, dot, rest = name.partition(".")
        holder = self.cell_of(first) if dot else None
        if holder is None:
            self.scope[first] = Cell(value=value, home=self.depth)
            return
        base = self.read(holder)
        if base.memory is not None:
            self.store(base.memory, base, value)
            return
        owner = base.cell if base.cell is not None else holder
        owner.fields[rest] = Cell(value=value, home=owner.home)

    def _assign_member(self, target: Expression, value: Known) -> None:
        inner = target.parts[0]
        if inner.kind == "index":
            base = self.value(inner.parts[0])
            if base.memory is not None:
                self.store(base.memory, self.shifted(base, self.where(inner)), value)
                return
        base = self.value(inner)
        if base.memory is not None:
            self.store(base.memory, base, value)
        elif base.cell is not None:
            base.cell.fields[target.text] = Cell(value=value, home=base.cell.home)

    def _assign_element(self, target: Expression, value: Known) -> None:
        base = self.value_of_array(target.parts[0])
        if base.cell is not None and base.cell.fields and not self.host:
            member = Expression("member", "operator[", target.parts[:1])
            self.assign_to(Expression("call", "", (member, *target.parts[1:])), value)
            return
        where = self.where(target)
        if base.memory is not None:
            if self.host:
                value = self.tensor(value)
            self.store(base.memory, self.shifted(base, where), value)
            return
        cell = self.target(target.parts[0])
        if cell is not None:
            self.write(cell, value.joined(replace(self.read(cell), items=())))

    # --- names that an expression brings ----------------------------------------------------------

    def _lambda(self, expression: Expression) -> Known:
        for name in expression.parts[1:]:
            self.scope[name.text] = Cell(value=UNKNOWN, home=self.depth)
        return self.value(expression.parts[0])

    def _comprehension(self, expression: Expression) -> Known:
        value, target, over = expression.parts
        whole = self.value(over)
        self.assign_to(target, replace(whole, items=()))
        self.made += 1
        few = over.kind == "list" or (
            bool(over.parts) and over.parts[0].text in ("range", "static_range")
        )
        loop = Loop(
            self.made, tuple(self.loops), self.branches, written_out=few and not whole.origins
        )
        self.loops.append(loop)
        found = self.value(value)
        self.loops.pop()
        return found
