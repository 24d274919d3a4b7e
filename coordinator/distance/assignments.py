"""What assignments do: stores, and what a loop carries on from round to round.

A value that a loop takes over from its last round is what the loop *finds out*: a sum, a maximum, a
sum that is scaled as it grows. That, and not how it is spelled, tells one idea from another.

Start at `Assignments.assign`. Not here: values (`expressions`), statements (`reading`).
"""

from collections.abc import Sequence

from coordinator.distance import vocabulary
from coordinator.distance.expressions import MAX_INSIDE, Expressions
from coordinator.distance.facts import NOTHING, Fact, assignment, is_name, names_in, target_name
from coordinator.distance.phrases import is_factor, is_polynomial

SCRATCH = ("vector", "std.vector", "malloc", "std.malloc", "aligned_alloc", "std.aligned_alloc",
            "new", "calloc", "unique_ptr", "std.unique_ptr", "alloca")  # fmt: skip
_FOUND = {"max": "max", "min": "max", "sum": "sum", "fma": "sum", "mma": "sum", "product": "scale"}
"""What a loop finds out, by the last operation of what it carries on."""


class Assignments(Expressions):
    """The part of a reading that looks at what is written where."""

    def assign(self, words: list[str], declared: bool, memory: str = "") -> None:
        """One part of a statement: an assignment, a declaration or an expression.

        `memory`: where what it declares lies, if that is said.
        """
        self._left -= len(words)
        if self._left < 0:
            return
        made = assignment(words)
        if made is None:
            self.expression(self._declare(words, memory) if declared else words)
            return
        name, how = target_name(made.target)
        if declared and (memory == "shared" or how == "index"):
            self._declare(made.target, memory)
            self.expression(made.value)
            return
        if how != "name":
            self.expression(made.target[made.target.index("[") :] if "[" in made.target else ())
        nested = assignment(made.value)
        if nested is not None and not self._program.python and self._inside < MAX_INSIDE:
            self._inside += 1
            self.assign(list(made.value), declared=False)
            self._inside -= 1
            value = self.expression(nested.value)
        else:
            value = self.expression(made.value)
        targets = [w for w in made.target if is_name(w)] if self._program.python else [name]
        if how == "name":
            if len(made.value) == 1 and vocabulary.kind_of(made.value[0]):
                self._program.aliases[name] = made.value
            for one in targets:
                self._set(one, made.compound, value, made.value, memory if declared else "")
        else:
            self._write(name, made.target, made.compound, value, made.value)

    def _declare(self, words: Sequence[str], memory: str) -> Sequence[str]:
        """Note what a declaration names, and give what it is made from."""
        home = self._stack[-1] if self._stack else -1
        name, how = target_name([word for word in words if word not in ("&", "*")])
        made: Sequence[str] = ()
        for at, word in enumerate(words[1:], 1):
            if word in "({" and is_name(words[at - 1]):
                name, made = words[at - 1], words[at:]
                break
        place = memory or ("local" if how == "index" else "")
        if place or name not in self._env:
            self._env[name] = Fact(place=place, home=home)
        return made

    def _set(
        self, name: str, compound: str, value: Fact, words: Sequence[str], memory: str = ""
    ) -> None:
        here = self._stack[-1] if self._stack else -1
        old = self._env.get(name) or self._env.get(name.partition(".")[0])
        if memory:
            value = value.joined(Fact(place=memory))
        if old is not None and old.home in self._stack[:-1]:
            self.regions[self._stack[-1]].gives.add((self._frame, name.partition(".")[0]))
            self._carry(name, compound, value, words)
            self._env[name] = value.joined(old).at(old.home)
        else:
            if old is not None and name in value.deps and is_polynomial(name, value, words):
                self.emit("function")
            self._env[name] = (value.joined(old) if old and compound else value).at(here)

    def _carry(self, name: str, compound: str, value: Fact, words: Sequence[str]) -> None:
        """Note what a loop takes over from its last round."""
        guarded = any(name in guard for guard in self._guards)
        if not value.data or not (compound or name in value.deps or guarded):
            return
        kinds = {compound} if compound else {_FOUND[op] for op in value.ops if op in _FOUND}
        if guarded:
            kinds = {"max"}
        if any(is_factor(words, at) for at, word in enumerate(words) if word == name):
            kinds.add("scale")
        for kind in kinds or {"value"}:
            self.emit(f"carry:{kind}")

    def _write(
        self,
        name: str,
        target: Sequence[str],
        compound: str,
        value: Fact,
        words: Sequence[str],
    ) -> None:
        known = self._env.get(name) or self._env.get(name.partition(".")[0]) or NOTHING
        place = known.place or (self._place(target) if target[:1] == ("*",) else "")
        if place in ("", "local"):
            self._set(name, compound, value.joined(known), words)
            return
        index = target[target.index("[") + 1 :] if "[" in target else ()
        strided = self._strided(index)
        if compound == "sum":
            self.emit(f"collect:{place}")
        elif compound or names_in(words) & {name}:
            self.emit(f"load:{place}{strided}")
        self.emit(f"store:{place}{strided}")
