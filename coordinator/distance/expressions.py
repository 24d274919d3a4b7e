"""What expressions do: loads, calls, launches; and what is known of the values they give.

Start at `Expressions.expression`. Not here: what is written (`assignments`), statements
(`reading`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from coordinator.distance import vocabulary
from coordinator.distance.facts import NOTHING, Fact, is_name, origin_of
from coordinator.distance.phrases import (
    QUALIFIERS,
    after_template,
    follow,
    last_operation,
    without_brackets,
)
from coordinator.distance.preprocess import arguments
from coordinator.distance.program import Program
from coordinator.distance.regions import MAX_REGIONS, Region, Uses

_LANES = ("32", "31", "5")
_OF_WARP = ("%", "/", "&", ">")
MAX_READ = 150_000
"""Words of one program that are read, calls in place."""
MAX_INSIDE = 40
"""Expressions inside each other."""
MAX_FEATURES = 40
"""Of one region."""
_ARITHMETIC = ("max", "min", "fma")
"""What is done to values everywhere; it counts where a loop carries it on."""
_POINTERS = (".data", ".get", ".begin")
_PYTHON = ("return", "else", "if", "not", "and", "or", "in", "lambda")


class Expressions(ABC):
    """The part of a reading that looks at single expressions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.regions: list[Region] = []
        self.uses: Uses = {}
        """Which regions read a name, by its function's call and itself."""
        self._stack: list[int] = []
        self._env: dict[str, Fact] = {}
        self._host = False
        self._conditions: frozenset[int] = frozenset()
        self._guards: list[frozenset[str]] = []
        self._done: set[str] = set()
        """What the present expression did so far."""
        self._frame = 0
        self._left = MAX_READ
        self._inside = 0

    @abstractmethod
    def call(self, name: str, given: Sequence[Sequence[str]]) -> Fact | None:
        """A call of a function of the program."""

    @abstractmethod
    def launch(self, name: str, told: Sequence[str] = ()) -> None:
        """The launch of a kernel of the program."""

    def _from_host(self, name: str) -> None:
        host, self._host = self._host, False
        self.launch(name)
        self._host = host

    def emit(self, feature: str) -> None:
        """Note that the present region does this."""
        self._done.add(feature.partition(":")[0])
        if self._stack:
            features = self.regions[self._stack[-1]].features
            if feature in features or len(features) < MAX_FEATURES:
                features.setdefault(feature, set()).add(self._conditions)

    def _enter(self, deeper: int, variable: str = "") -> None:
        parent = self._stack[-1] if self._stack else -1
        depth = self.regions[parent].depth + deeper if parent >= 0 else 0
        if len(self.regions) < 4 * MAX_REGIONS:
            self.regions.append(Region(parent, depth, self._conditions, variable=variable))
        self._stack.append(len(self.regions) - 1)

    # --- expressions ----------------------------------------------------------------------

    def expression(self, words: Sequence[str]) -> Fact:
        """What is known of a value; what it does is noted on the way."""
        self._left -= len(words) + 1
        if self._left < 0 or self._inside > MAX_INSIDE:
            return NOTHING
        self._inside += 1
        words = without_brackets(words)
        outside, self._done = self._done, set()
        found = NOTHING
        at = 0
        brackets: list[bool] = []
        passed: frozenset[str] = frozenset()
        while at < len(words) and self._left >= 0:
            fact, end = self._word(words, at)
            if not brackets:
                passed |= fact.ops
            if any(brackets):
                fact = replace(fact, place="")
            follow(words, at, end, brackets)
            found, at = found.joined(fact), end
        read = "load" in self._done
        self._done |= outside
        self._inside -= 1
        # What was read through a pointer is none.
        return replace(
            found,
            ops=last_operation(words) or passed,
            data=found.data or read,
            place="" if read else found.place,
        )

    def _word(self, words: Sequence[str], at: int) -> tuple[Fact, int]:
        word = words[at]
        if word[:1] == '"':
            if kind := vocabulary.in_assembly(word):
                self.emit(f"{kind}:global" if kind in ("load", "store") else kind)
            return NOTHING, at + 1
        if word == "*" and self._dereferences(words, at):
            place = self._place(words[at + 1 : at + 12])
            if place and place != "local":
                self.emit(f"load:{place}")
            return Fact(data=True), at + 1
        if word == "@" and self._program.python and at:
            self._operator("matmul")
        if not is_name(word) or word in (_PYTHON if self._program.python else QUALIFIERS):
            return NOTHING, at + 1
        return self._named(words, at)

    def _named(self, words: Sequence[str], at: int) -> tuple[Fact, int]:
        word = words[at]
        after = words[at + 1] if at + 1 < len(words) else ""
        short = word.rpartition(".")[2]
        if after == "<":
            bracket = after_template(words, at + 1)
            if bracket and short in self._program.functions:
                given, end = arguments(words, bracket)
                return self.call(word, given) or NOTHING, end
        if after == "<<<" and short in self._program.functions:
            self._from_host(short)
            return NOTHING, at + 2
        if after == "(":
            return self._called(words, at)
        if after == "[" and self._program.python and short in self._program.functions:
            _, end = arguments(words, at + 1)
            if words[end : end + 1] == ("(",) or words[end : end + 1] == ["("]:
                self._from_host(short)
                _, end = arguments(words, end)
                return NOTHING, end
        if after == "[":
            return self._indexed(words, at)
        if short in self._program.functions and word not in self._env:
            return self.call(word, ()) or NOTHING, at + 1
        return self._known(words, at), at + 1

    def _known(self, words: Sequence[str], at: int) -> Fact:
        """What is known of a name that is only mentioned."""
        word = words[at]
        origins = origin_of(word)
        if "thread" in origins and word == "threadIdx.x" and self._of_warp(words, at):
            self.emit("warp")
        known = self._env.get(word) or self._env.get(word.partition(".")[0])
        found = Fact(origins=origins)
        if known is None:
            return found
        self.uses.setdefault((self._frame, word.partition(".")[0]), set()).update(self._stack[-1:])
        if "." in word and not word.endswith(_POINTERS):
            known = replace(known, place="")
        return found.joined(known).joined(Fact(deps=frozenset((word,))))

    def _of_warp(self, words: Sequence[str], at: int) -> bool:
        operator, *number = words[at + 1 : at + 4] or ("",)
        number = [word for word in number if word != ">"]
        if operator not in _OF_WARP or not number:
            return False
        value = self._program.value(number[:1])
        return number[0] in _LANES or value in (31, 32)

    def _called(self, words: Sequence[str], at: int) -> tuple[Fact, int]:
        name = words[at]
        given, end = arguments(words, at + 1)
        self._left -= end - at
        own = self.call(name, given)
        if own is not None:
            return own, end
        alias = self._program.aliases.get(name, ())
        name = alias[0] if len(alias) == 1 else name
        kind = vocabulary.kind_of(name)
        if name.endswith("program_id"):
            return Fact(origins=frozenset(("block",))), end
        if name.endswith("num_programs"):
            return Fact(origins=frozenset(("grid",))), end
        if self._host:
            self._operator(name)
        elif kind in ("load", "store", "copy", "atomic"):
            self._moves(kind, name, given)
        elif kind and kind not in _ARITHMETIC:
            self.emit(kind)
        known = self._known(words, at) if "." in name else NOTHING
        # What it is given is read as well: calls and loads may stand inside.
        return replace(known, ops=frozenset((kind,)) if kind else known.ops), at + 2

    def _operator(self, name: str) -> None:
        if not self._host:
            self.emit("mma")
        elif told := vocabulary.operator_of(name):
            self.emit(f"call:{told}")

    def _moves(self, kind: str, name: str, given: Sequence[Sequence[str]]) -> None:
        first = given[0] if given else ()
        place = self._place(first) or "global"
        if kind == "copy":
            self.emit(f"store:{place}")
            self.emit(f"load:{self._place(given[1] if len(given) > 1 else ()) or 'global'}")
        elif name.endswith((".load", ".store")) and not name.startswith(("tl.", "triton.")):
            # A method of a descriptor that moves tiles by itself.
            self.emit(f"{kind}:descriptor")
        elif kind == "atomic":
            self.emit("atomic")
        else:
            self.emit(f"{kind}:{place}{self._strided(first)}")

    def _indexed(self, words: Sequence[str], at: int) -> tuple[Fact, int]:
        fact = self._known(words, at)
        if fact.place and fact.place != "local" and not self._host:
            _, end = arguments(words, at + 1)
            self.emit(f"load:{fact.place}{self._strided(words[at + 2 : end - 1])}")
            fact = fact.joined(Fact(data=True))
        return fact, at + 2

    def _strided(self, index: Sequence[str]) -> str:
        """Whether the innermost loop steps over more than the next value."""
        variable = self.regions[self._stack[-1]].variable if self._stack else ""
        for at, word in enumerate(index):
            beside = (*index[max(0, at - 1) : at], *index[at + 1 : at + 2])
            if word == variable and "*" in beside:
                return ":strided"
        return ""

    def _dereferences(self, words: Sequence[str], at: int) -> bool:
        before = words[at - 1] if at else "="
        after = words[at + 1] if at + 1 < len(words) else ""
        unary = before in ("=", "(", ",", "return", "+", "-", "?", ":", "<", ">", "[", "{")
        return not self._program.python and unary and (after == "(" or is_name(after))

    def _place(self, words: Sequence[str]) -> str:
        for word in words:
            known = self._env.get(word) or self._env.get(word.partition(".")[0])
            if known and known.place:
                return known.place
        return ""
