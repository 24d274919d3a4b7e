"""Library operators that host code in Python calls on whole tensors.

Start at `Operators.tensor_call`. Not here: functions of kernels (`builtin`), what the operators'
names mean (`vocabulary`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from coordinator.distance import vocabulary
from coordinator.distance.assigning import Assigning
from coordinator.distance.evaluating import SIZE
from coordinator.distance.notes import Loop
from coordinator.distance.syntax import Expression
from coordinator.distance.values import MAX_LEVEL, UNKNOWN, Cell, Known, Memory, Place, all_of

MADE = re.compile(
    r"(?:new_)?(?:empty|zeros|ones|full|randn?|empty_strided)(?:_like)?|new|malloc|calloc"
    r"|aligned_alloc|_mm_malloc|make_unique|alloca|vector"
)
FUNCTION = re.compile(
    r"_*(?:h2?)?(?:exp|exp2|expm1|exp10|log|log2|log10|log1p|tanh|sinh?|cosh?|erfc?|sigmoid|pow|powf"
    r"|r?sqrt|rcp|reciprocal|frcp|tan|atan2?|square|abs|floor|round|sincos)f?(?:_(?:rn|approx))?_?"
)
SIZES = frozenset(("size", "numel", "stride", "dim", "nelement", "len", "cdiv", "next_power_of_2",
                    "get_device_properties", "shape", "element_size", "sizeof"))  # fmt: skip
_SIGNS = {"add": "+", "sub": "-", "subtract": "-", "mul": "*", "multiply": "*", "div": "/",
          "divide": "/", "true_divide": "/", "rsub": "-"}  # fmt: skip
_FILLS = frozenset(("copy", "fill", "zero", "set"))


class Operators(Assigning, ABC):
    """The part of a reading that knows library operators."""

    @abstractmethod
    def run_named(self, name: str, values: Sequence[Known]) -> Known:
        """A function of the program, given values."""

    def called_back(self, values: Sequence[Known]) -> None:
        """Functions that are handed on are called by whoever takes them."""
        for value in values:
            if value.function and self.known_function(value.function) and not self.device:
                self.call(Expression("call", "", (Expression("name", value.function),)))

    def made_memory(self, place: Place) -> Known:
        """New memory."""
        self.made += 1
        where: Place = "workspace" if self.host else place
        memory = Memory(value=UNKNOWN, place=where, name=f"new {self.made}", home=self.depth)
        return Known(memory=memory)

    def gathered(self, kind: str, value: Known) -> Known:
        """What is gathered of a value's elements; sums of sums are the same sum."""
        if kind in value.found:
            return value
        return self.operator(kind, (value,))

    def operator(self, kind: str, values: Sequence[Known]) -> Known:
        """What a library operator gathers."""
        found = all_of(values)
        self.found(kind, found.level)
        through = found.done("operator@0").through
        return Known(
            origins=found.origins, level=min(MAX_LEVEL, found.level + 1), data=True,
            found=frozenset((kind,)), through=through,
        )  # fmt: skip

    def host_call(self, name: str, given: Sequence[Expression]) -> Known:
        """A call of host code that is not the program's own."""
        last = name.rpartition(".")[2]
        if last == "partial" and given:
            return self.value(given[0])
        if name in ("functools.reduce", "map") and len(given) > 1:
            return self._over_parts(given)
        if last in SIZES:
            for one in given:
                self.value(one)
            return SIZE
        if not name.startswith("torch.") or not given or given[0].kind == "keyword":
            values = [self.value(one) for one in given]
            if MADE.fullmatch(last):
                return self.made_memory("workspace")
            self._noted(last)
            self.called_back(values)
            return all_of(values)
        if MADE.fullmatch(last):
            return self.made_memory("workspace")
        return self.tensor_call(last, given[0], self.value(given[0]), given[1:])

    def _over_parts(self, given: Sequence[Expression]) -> Known:
        """What a function gives that is called for one part after another: a loop."""
        parts, *start = [self.value(one) for one in given[1:]]
        over = all_of((parts, *start))
        self.made += 1
        tensors = over.data or parts.memory is not None
        written_out = given[1].kind == "list" or not tensors
        loop = Loop(self.made, tuple(self.loops), self.branches, written_out=written_out)
        self.loops.append(loop)
        function = given[0]
        if function.kind == "lambda":
            for name, value in zip(function.parts[1:], (*start, parts), strict=False):
                self.scope[name.text] = Cell(value=value, home=self.depth)
            function = function.parts[0]
        called = self.value(function)
        self.called_back([called])
        self.loops.pop()
        self.settle(loop)
        return over.joined(replace(called, function=""))

    def _noted(self, name: str) -> None:
        if fused := vocabulary.fused_operator(name):
            self.note("operator", fused)
            self.note_leaf()

    def tensor_call(
        self, name: str, target: Expression, base: Known, given: Sequence[Expression]
    ) -> Known:
        """An operator on a tensor, as a function or a method."""
        if MADE.fullmatch(name):
            return self.made_memory("workspace")
        values = [
            self.tensor(self.value(one))
            for one in given
            if one.kind != "keyword" or one.text == "out"
        ]
        out = [one.parts[0] for one in given if one.kind == "keyword" and one.text == "out"]
        mine = self.tensor(base)
        found = self._tensor_result(name, base, mine, values[: len(values) - len(out)])
        if out:
            self._kept(out[0], self.value(out[0]), found)
            return replace(found, memory=self.value(out[0]).memory)
        if name.endswith("_") and not name.endswith("__"):
            self._kept(target, base, found)
            return replace(found, memory=base.memory, origins=base.origins)
        return found

    def _kept(self, target: Expression, base: Known, value: Known) -> None:
        """What an operator writes in place."""
        if base.memory is not None:
            self.store(base.memory, base, value)
            return
        cell = self.target(target)
        if cell is not None:
            self.write(cell, replace(value, memory=None))

    def _tensor_result(self, name: str, base: Known, mine: Known, values: list[Known]) -> Known:
        short = name.rstrip("_")
        if short in _FILLS:
            return all_of(values)
        both = mine.joined(all_of(values))
        gathered = vocabulary.gathered_by(name)
        if gathered == "max" and values and values[0].data:
            return self.larger(mine, values[0])
        if gathered:
            self.note_leaf()
            found = (
                self.gathered(gathered, both)
                if gathered in ("sum", "max")
                else self.operator(gathered, (both,))
            )
            return self.summed(found, mine) if short in ("addmm", "baddbmm", "addbmm") else found
        if vocabulary.fused_operator(name):
            self._noted(name)
            return replace(both.done("operator@0"), memory=None, found=frozenset(), raw=False)
        if short in _SIGNS and values:
            return self.combined(_SIGNS[short], mine, values[0])
        if short in ("maximum", "minimum") and values:
            return self.larger(mine, values[0])
        return self._tensor_shape(short, base, both, values)

    def _tensor_shape(self, short: str, base: Known, both: Known, values: list[Known]) -> Known:
        if short in ("transpose", "permute", "t", "swapaxes", "movedim"):
            return replace(base, view=base.view | {"turned"})
        if short == "contiguous" and "turned" in base.view:
            self.mark("turned first")
        if FUNCTION.fullmatch(short):
            return self.applied(both)
        if base.memory is not None and not any(value.data for value in values):
            return replace(base, items=())
        return replace(both, memory=None)

    def note_leaf(self) -> None:
        """Note that the present loop holds work."""
        for loop in self.loops:
            loop.used = True
        if self.loops:
            self.note("leaf")
