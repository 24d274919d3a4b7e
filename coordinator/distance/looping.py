"""Loops: what they go over, whether they are loops at all, and who walks.

Start at `Looping.loop`. Not here: what they find out (`gathering`), other statements (`reading`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from coordinator.distance.calling import Calling
from coordinator.distance.changes import (
    assigned_in,
    changed_in,
    changes,
    counted,
    few_from,
    first_of,
    names_in,
)
from coordinator.distance.declarations import parsed
from coordinator.distance.notes import Loop
from coordinator.distance.syntax import Expression
from coordinator.distance.tree import Node
from coordinator.distance.values import UNKNOWN, Cell, Known, all_of

FEW = 64
"""Rounds of a loop, known beforehand, that a tuned source may write out as well."""
MAX_LOOPS = 400
_COMPARED = ("<", ">", "<=", ">=", "!=")


@dataclass
class Head:
    """What is known of a loop before its body is read."""

    start: Known = UNKNOWN
    bound: Known = UNKNOWN
    step: Known = field(default_factory=lambda: Known(number=1))
    rounds: int | None = None
    counters: list[Cell] = field(default_factory=list)
    endless: bool = False


class Looping(Calling, ABC):
    """The part of a reading that enters loops."""

    def loop(self, node: Node) -> None:
        """One loop: its head, its body once, and its end."""
        outside = self.scope
        self.scope = dict(outside)
        head = self._python_head(node) if self.program.python else self._braced_head(node)
        if head.rounds != 0:
            self._rounds(node, head)
        kept = {
            name: cell
            for name, cell in self.scope.items()
            if self.program.python or name in outside
        }
        self.scope = {**outside, **kept}

    def _rounds(self, node: Node, head: Head) -> None:
        self.made += 1
        loop = Loop(self.made, tuple(self.loops), self.branches, written_out=self._is_few(head))
        loop.stepped = head.step.number not in (1, -1)
        self._chosen_by(head)
        cells = (self.cell_of(name) for name in assigned_in(node.body, self.program.python))
        loop.changes = frozenset(cell for cell in cells if cell is not None)
        self.loops.append(loop)
        for cell in head.counters:
            origins = cell.value.origins | head.step.origins | {loop.number}
            cell.value = replace(cell.value, origins=origins, number=None)
        self.visit_all(node.body)
        self.loops.pop()
        self.settle(loop)
        if not loop.written_out:
            self._walks(head, loop)
        if loop.written_out and self.loops:
            self.loops[-1].level = max(self.loops[-1].level, loop.level)

    def _is_few(self, head: Head) -> bool:
        if head.endless or self.made > MAX_LOOPS:
            return False
        if head.rounds is not None:
            return head.rounds <= FEW
        origins = head.start.origins | head.bound.origins | head.step.origins
        return not head.bound.data and not head.start.data and origins <= {"thread"}

    def _chosen_by(self, head: Head) -> None:
        """Note the loops around that choose the part which this one goes over."""
        if head.bound.memory is not None:
            return
        reached = head.bound.origins | head.start.origins
        for loop in self.loops:
            clipped = loop.number in head.bound.clipped
            if clipped or (loop.stepped and loop.number in reached):
                loop.tiles = loop.tiles or not loop.written_out

    def _walks(self, head: Head, loop: Loop) -> None:
        if not self.device:
            return
        strides = "block" in head.start.origins and "block" not in head.bound.origins
        if "grid" in head.step.origins or (strides and not loop.gathers):
            self.mark("walk")

    # --- heads --------------------------------------------------------------------------------

    def _python_head(self, node: Node) -> Head:
        words = node.head
        if words[0] == "while":
            return self._while(parsed(tuple(words[1:]), python=True), node)
        if "in" not in words:
            return Head(endless=True)
        at = words.index("in")
        target = parsed(tuple(words[1:at]), python=True)
        over = parsed(tuple(words[at + 1 :]), python=True)
        head, value = self._over(over[0] if over else Expression("list"))
        for name in names_in(target):
            cell = Cell(value=replace(value, items=()), home=self.depth + 1)
            self.scope[name] = cell
            head.counters.append(cell)
        return head

    def _over(self, over: Expression) -> tuple[Head, Known]:
        called = over.parts[0].text.rpartition(".")[2] if over.kind == "call" else ""
        if called not in ("range", "static_range"):
            value = self.value(over)
            few = over.kind == "list" or called == "static_range"
            return Head(bound=value, rounds=1 if few else None, endless=not few), value
        given = [self.value(one) for one in over.parts[1:] if one.kind != "keyword"]
        start = given[0] if len(given) > 1 else Known(number=0)
        stop = given[1] if len(given) > 1 else given[0] if given else UNKNOWN
        step = given[2] if len(given) > 2 else Known(number=1)
        head = Head(start, stop, step, counted(start, stop, step))
        if called == "static_range":
            head.rounds = 1 if head.rounds is None else min(head.rounds, FEW)
        return head, start

    def _braced_head(self, node: Node) -> Head:
        parts: list[list[str]] = [[]]
        for word in node.head:
            if word == ";":
                parts.append([])
            else:
                parts[-1].append(word)
        if len(parts) < 3:
            return (
                self._ranged(parts[0])
                if ":" in parts[0] and "?" not in parts[0]
                else self._while(parsed(tuple(parts[0]), python=False), node)
            )
        self.statement(parts[0])
        steps = parsed(tuple(parts[2]), python=False)
        return self._while(parsed(tuple(parts[1]), python=False), node, steps, parts[0])

    @abstractmethod
    def statement(self, words: Sequence[str]) -> None:
        """A plain statement; what it declares is declared."""

    def _ranged(self, words: Sequence[str]) -> Head:
        at = words.index(":")
        value = self.value(first_of(parsed(tuple(words[at + 1 :]), python=False)))
        if value.memory is not None:
            few = value.memory.place == "local"
            value = self.load(value.memory, value)
        else:
            few = True
        name = next((word for word in reversed(words[:at]) if word[:1].isalpha()), "")
        self.scope[name] = Cell(value=value, home=self.depth + 1)
        return Head(rounds=1 if few else None, endless=not few)

    def _while(
        self,
        condition: Sequence[Expression],
        node: Node,
        steps: Sequence[Expression] = (),
        started: Sequence[str] = (),
    ) -> Head:
        asked = first_of(condition)
        changed = dict(changes(steps))
        for name, by in changed_in(node.body, self.program.python):
            changed.setdefault(name, by)
        changed.update(dict(changes(condition)))
        head = Head(endless=asked.kind in ("number", "name", "list"))
        if asked.kind == "number" and self.value(asked).number == 0:
            head.rounds = 0
            return head
        asked_for = set(names_in((self._counting(asked),)))
        for name, by in changed.items():
            cell = self.cell_of(name)
            if cell is None:
                continue
            head.counters.append(cell)
            if name in asked_for:
                head.start = head.start.joined(cell.value) if head.start.origins else cell.value
                head.step = self.value(by) if by is not None else head.step
        self._bounded(head, asked, started)
        return head

    def _counting(self, asked: Expression) -> Expression:
        """Of several conditions the one that compares with a number that is known."""
        if asked.kind != "binary" or asked.text not in ("&&", "and"):
            return asked
        for one in asked.parts:
            compared = one.kind == "binary" and one.text in _COMPARED
            if compared and self.value(one.parts[1]).number is not None:
                return one
        return asked

    def _bounded(self, head: Head, asked: Expression, started: Sequence[str]) -> None:
        kept = [(cell, cell.value) for cell in head.counters]
        for cell, value in kept:
            cell.value = Known(memory=value.memory)
        counting = self._counting(asked)
        if counting is not asked:
            head.bound, asked = self.value(asked), counting
        elif asked.text in ("&&", "and") and asked.parts[1].text in _COMPARED:
            head.bound, asked = self.value(asked), asked.parts[0]
        sides = [self.value(part) for part in asked.parts[:2]] if asked.kind == "binary" else []
        found = self.value(asked)
        for cell, value in kept:
            cell.value = value
        head.bound = replace(head.bound.joined(all_of(sides)).joined(found), number=None)
        limit = sides[1].number if len(sides) == 2 else None
        if asked.text in _COMPARED and limit is not None:
            low, high = head.start.number, limit
            if low is None and head.start.origins <= {"thread"}:
                low = 0 if asked.text in ("<", "<=", "!=") else None
            if low is not None:
                head.rounds = counted(
                    Known(number=min(low, high)), Known(number=max(low, high)), head.step
                )
        elif len(sides) == 2:
            head.rounds = few_from(asked, started)
