"""What functions do that the program does not define: loads, stores, sums across threads.

Start at `Builtins.built_in`. Not here: what their names mean (`vocabulary`), functions of the
program (`calling`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from coordinator.distance import vocabulary
from coordinator.distance.evaluating import SIZE
from coordinator.distance.gathering import LANES
from coordinator.distance.notes import Loop
from coordinator.distance.operators import FUNCTION, MADE, SIZES, Operators
from coordinator.distance.syntax import TYPES, Expression
from coordinator.distance.values import UNKNOWN, Known, all_of

_OPERATIONS = {"plus": "+", "minus": "-", "multiplies": "*", "divides": "/"}
"""What objects of the library do to two values."""


class Builtins(Operators, ABC):
    """The part of a reading that knows the languages' own functions."""

    def built_in(self, name: str, given: Sequence[Expression], whole: Expression) -> Known:
        """A call of a function that is not the program's."""
        last = name.rpartition(".")[2]
        plain = [one for one in given if one.kind != "keyword"]
        if last in TYPES or (last.endswith("_t") and len(plain) == 1):
            return self.value(plain[0]) if len(plain) == 1 else all_of(map(self.value, plain))
        if last in ("where", "select") and len(plain) == 3:
            return self.value(Expression("choice", "", tuple(plain)))
        if last == "program_id":
            return Known(origins=frozenset(("block",)))
        if last == "num_programs":
            return Known(origins=frozenset(("grid",)))
        if self.host:
            return self.host_call(name, given)
        values = [self.value(one) for one in given]
        if last in ("transform", "for_each"):
            return self._each(plain, values)
        kind = vocabulary.kind_of(name)
        handler: Callable[[Sequence[Expression], list[Known]], Known] | None = getattr(
            self, f"_do_{kind.replace(' ', '_')}", None
        )
        if kind and handler is not None:
            return handler(plain, values)
        if kind:
            self.mark(kind)
        return self._other(name, plain, values)

    @abstractmethod
    def takes_the_larger(self, name: str) -> bool:
        """Whether a function of the program, or a library's object, gives the larger of two."""

    def _other(self, name: str, given: Sequence[Expression], values: list[Known]) -> Known:
        last = name.rpartition(".")[2]
        if FUNCTION.fullmatch(last):
            found = self.applied(all_of(values))
            for pointer in given[1:]:
                if last.startswith("sincos"):
                    self._through(pointer, found)
            return found
        if MADE.fullmatch(last) and not name.startswith("tl."):
            outside = name.startswith(("torch.", "at.")) or last in (
                "cudaMalloc",
                "cudaMallocAsync",
            )
            return self.made_memory(
                "local" if self.device else "workspace" if outside else "scratch"
            )
        self.called_back(values)
        found = all_of(values)
        return replace(found, number=values[0].number if len(values) == 1 else None, items=())

    def _through(self, pointer: Expression, value: Known) -> None:
        """Write to where an argument points."""
        found = self.address(pointer) if pointer.kind == "index" else self.value(pointer)
        if found.memory is not None:
            self.store(found.memory, found, value)
        elif found.cell is not None:
            self.write(found.cell, value)
        else:
            cell = self.target(pointer)
            if cell is not None:
                self.write(cell, value)

    # --- devices' functions -------------------------------------------------------------------

    def _do_load(self, given: Sequence[Expression], values: list[Known]) -> Known:
        pointer = all_of(values[:2])
        if pointer.memory is None:
            return replace(pointer, data=True)
        return self.load(pointer.memory, pointer)

    def _do_store(self, given: Sequence[Expression], values: list[Known]) -> Known:
        value = all_of(values[1:3]) if len(values) > 1 else UNKNOWN
        if values and values[0].memory is not None:
            self.store(values[0].memory, values[0], replace(value, memory=None))
        return UNKNOWN

    def _do_copy(self, given: Sequence[Expression], values: list[Known]) -> Known:
        if len(values) > 1 and values[1].memory is not None:
            self._do_store(given, [values[0], self.load(values[1].memory, values[1])])
        return UNKNOWN

    def _do_fill(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return UNKNOWN

    def _do_atomic(self, given: Sequence[Expression], values: list[Known]) -> Known:
        pointer = values[0] if values else UNKNOWN
        shared = pointer.memory is not None and pointer.memory.place == "shared"
        self.mark("shared: exchanged" if shared else "atomic")
        self._do_store(given, values)
        # What was there before, which others may have changed.
        return Known(data=True)

    def _do_fma(self, given: Sequence[Expression], values: list[Known]) -> Known:
        if len(values) < 3:
            return all_of(values)
        return self.summed(self.multiplied(values[0], values[1]), values[2])

    def _do_add(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self.summed(values[0], values[1]) if len(values) > 1 else all_of(values)

    def _do_mul(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self.multiplied(values[0], values[1]) if len(values) > 1 else all_of(values)

    def _do_larger(self, given: Sequence[Expression], values: list[Known]) -> Known:
        values = (values[0:1] and list(values[0].items)) or values
        found = values[0] if values else UNKNOWN
        for value in values[1:]:
            found = self.larger(found, value)
        return found

    def _do_barrier(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return UNKNOWN

    def _do_lanes(self, given: Sequence[Expression], values: list[Known]) -> Known:
        self.mark("lanes")
        value = next((one for one in values if one.data), all_of(values))
        return replace(value, found=value.found or frozenset((LANES,)), raw=False, number=None)

    def _do_across_lanes(self, given: Sequence[Expression], values: list[Known]) -> Known:
        self.mark("lanes")
        return self.gathered("sum", all_of(values))

    def _do_sum(self, given: Sequence[Expression], values: list[Known]) -> Known:
        larger = any(self.takes_the_larger(value.function) for value in values)
        return self.gathered("max" if larger else "sum", self._elements(values))

    def _do_max(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self.gathered("max", self._elements(values))

    def _do_scan(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self.operator("scan", values)

    def _do_sort(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self.operator("sort", values)

    def _each(self, given: Sequence[Expression], values: list[Known]) -> Known:
        """A function for every element, in a loop of its own."""
        pointers = [value for value in values if value.memory is not None]
        called = [value.function for value in values if self.known_function(value.function)]
        made = {one.parts[0].text.rpartition(".")[2] for one in given if one.kind == "call"}
        operation = next(iter(made & _OPERATIONS.keys()), "")
        if not pointers or not (called or operation):
            self.called_back(values)
            return UNKNOWN
        self.made += 1
        loop = Loop(self.made, tuple(self.loops), self.branches)
        self.loops.append(loop)
        read = [self.load(one.memory, one) for one in pointers[:-1] if one.memory is not None]
        if operation and read:
            found = self.combined(_OPERATIONS[operation], read[0], read[-1])
        else:
            found = self.run_named(called[0], read or pointers) if called else UNKNOWN
        target = replace(pointers[-1], origins=pointers[-1].origins | {loop.number})
        if target.memory is not None and len(pointers) > 1:
            self.store(target.memory, target, found)
        self.loops.pop()
        self.settle(loop)
        return UNKNOWN

    def _do_softmax(self, given: Sequence[Expression], values: list[Known]) -> Known:
        value = all_of(values)
        powers = self.applied(self.summed(value, self.gathered("max", value)))
        return self.multiplied(powers, self.gathered("sum", powers))

    def _elements(self, values: list[Known]) -> Known:
        """What a function goes over itself, of all it is given: a loop of its own."""
        if all(value.memory is None for value in values):
            return all_of(values)
        self.made += 1
        loop = Loop(self.made, tuple(self.loops), self.branches, gathers=True, used=True)
        self.loops.append(loop)
        found = [self.load(v.memory, v) if v.memory is not None else v for v in values]
        self.loops.pop()
        loop.level = all_of(found).level
        return replace(all_of(found), through={})

    def _do_product(self, given: Sequence[Expression], values: list[Known]) -> Known:
        found = self.operator("product", values[:2])
        return self.summed(found, values[2]) if len(values) > 2 and given[2:] else found

    def _do_mma(self, given: Sequence[Expression], values: list[Known]) -> Known:
        self.mark("tensor cores")
        found = self.operator("product", values[1:3])
        if given:
            self._through(given[0], self.summed(replace(values[0], memory=None), found))
        return found

    def _do_fragment(self, given: Sequence[Expression], values: list[Known]) -> Known:
        if len(values) > 1 and values[1].memory is not None:
            self._through(given[0], self.load(values[1].memory, values[1]))
        return UNKNOWN

    def _do_unfragment(self, given: Sequence[Expression], values: list[Known]) -> Known:
        return self._do_store(given, values[:2])

    def _do_async(self, given: Sequence[Expression], values: list[Known]) -> Known:
        self.mark("async")
        return self._do_copy(given, values)

    def _do_descriptor(self, given: Sequence[Expression], values: list[Known]) -> Known:
        self.mark("descriptor")
        return all_of(values)

    # --- library operators of host code -------------------------------------------------------

    def method(
        self, target: Expression, base: Known, name: str, given: Sequence[Expression]
    ) -> Known:
        """A method of a value."""
        if name in SIZES:
            return SIZE
        if not self.host:
            return self._device_method(base, name, given)
        return self.tensor_call(name, target, base, given)

    def _device_method(self, base: Known, name: str, given: Sequence[Expression]) -> Known:
        values = [self.value(one) for one in given]
        if name in ("load", "store") and base.memory is not None:
            self.mark("descriptor")
            return (
                self._do_load(given, [base])
                if name == "load"
                else self._do_store(given, [base, *values[-1:]])
            )
        if name in ("emplace_back", "push_back", "emplace", "push", "insert"):
            # A container takes it: the loops around give something.
            self.note_leaf()
            self.called_back(values)
        if name in ("Sum", "Reduce", "sum", "max"):
            if name in ("Sum", "Reduce"):
                self.mark("shared: exchanged")
            return self.gathered("sum", all_of(values) if values else base)
        return base.joined(replace(all_of(values), memory=None))
