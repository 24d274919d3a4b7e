"""What a candidate's source names: calls, words, how deep loops nest. Nothing is run.

    Solution -> SourceNames

A name hidden from a reader of text is hidden from this as well: then a candidate is taken for less
than it is, never for more.

Start at `read_names`. Not here: how text is cut into tokens (`source_tokens`), what the names are
looked for (`predicates`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from coordinator.source_tokens import PYTHON, Token, tokens_of
from guard.domain.solution import Solution

_PARTS = 8
"""Of a dotted name, at most: of a longer one the first and the last count."""
_DOTTED = re.compile(r"[^\W\d][\w.:]*")
_IMPORT_AS = re.compile(r"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)", re.MULTILINE)
_FROM = re.compile(
    r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^()]*)\)|([^\n(]+))", re.MULTILINE
)
_LOOPS = ("for", "while")
_JOINTS = (".", "::", "->")


@dataclass(frozen=True)
class SourceNames:
    """What the sources of one solution name."""

    called: frozenset[str] = frozenset()
    """Dotted names that are called, imports resolved: ``torch.matmul``, ``std.exp``."""
    words: frozenset[str] = frozenset()
    """All words of the code; a ``#pragma`` with its line as one; words of C++ strings."""
    loop_depth: int = 0
    """Loops inside each other, at most."""
    launches: int = 0
    """Places that launch a kernel: ``kernel[grid](…)`` in Python, ``<<<`` in CUDA C++."""

    def calls(self, name: str) -> bool:
        """Whether this is called: a dotted name as a whole, a plain one whoever it belongs to."""
        return any(_matches(name, called) for called in self.called)

    def holds(self, word: str) -> bool:
        """Whether this word occurs; one that ends in ``*`` is the beginning of one."""
        if word.endswith("*"):
            return any(known.startswith(word[:-1]) for known in self.words)
        return word in self.words


@dataclass
class _Found:
    """What was gathered so far, over all files."""

    called: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    loop_depth: int = 0
    launches: int = 0


def read_names(solution: Solution) -> SourceNames:
    """What all files of a solution name."""
    found = _Found()
    for source in solution.sources:
        python = source.path.endswith(PYTHON)
        tokens = list(tokens_of(source.content, python))
        aliases = import_names(source.content) if python else {}
        _gather(tokens, aliases, python, found)
        depth = _python_depth(tokens) if python else _braced_depth(tokens)
        found.loop_depth = max(found.loop_depth, depth)
    return SourceNames(
        frozenset(found.called), frozenset(found.words), found.loop_depth, found.launches
    )


def _matches(wanted: str, called: str) -> bool:
    compared = called if "." in wanted else called.rpartition(".")[2]
    return compared.startswith(wanted[:-1]) if wanted.endswith("*") else compared == wanted


# --- what tokens say --------------------------------------------------------------------------


def _gather(tokens: list[Token], aliases: dict[str, str], python: bool, found: _Found) -> None:
    dotted: list[str] = []
    last = Token("mark", "", -1)
    for token in tokens:
        if token.kind == "name":
            goes_on = last.text in _JOINTS and dotted
            dotted = [*dotted[: _PARTS - 1], token.text] if goes_on else [token.text]
            found.words.add(token.text)
        elif token.kind == "pragma":
            found.words.add(token.text)
        elif token.kind == "text":
            found.words.update(_DOTTED.findall(token.text))
        elif token.text == "(" and last.kind == "name":
            found.called.add(".".join((aliases.get(dotted[0], dotted[0]), *dotted[1:])))
        elif (token.text == "<<<") if not python else (token.text == "(" and last.text == "]"):
            found.launches += 1
        elif python and token.text == "@" and token.column < 0:
            found.called.add("operator.matmul")
        last = token


def import_names(text: str) -> dict[str, str]:
    """What the names that imports bring stand for, such as ``F`` for ``torch.nn.functional``."""
    found = {name: module for module, name in _IMPORT_AS.findall(text)}
    for module, inside, line in _FROM.findall(text):
        for entry in (inside or line).partition("#")[0].split(","):
            words = entry.split()
            if words:
                found[words[-1]] = f"{module}.{words[0]}"
    return found


def _python_depth(tokens: Iterable[Token]) -> int:
    columns: list[int] = []
    deepest = 0
    for token in tokens:
        if token.column < 0 or token.kind != "name":
            continue
        while columns and columns[-1] >= token.column:
            columns.pop()
        if token.text in _LOOPS:
            columns.append(token.column)
            deepest = max(deepest, len(columns))
    return deepest


def _braced_depth(tokens: Iterable[Token]) -> int:
    # Loops whose body has not begun, and how many loops each open brace is the body of.
    waiting = open_ = deepest = brackets = 0
    braces: list[int] = []
    for token in tokens:
        if token.text in _LOOPS and token.kind == "name":
            waiting += 1
            deepest = max(deepest, open_ + waiting)
        elif token.kind != "mark":
            continue
        elif token.text in "()":
            brackets += 1 if token.text == "(" else -1
        elif token.text == "{":
            braces.append(waiting)
            open_, waiting = open_ + waiting, 0
        elif token.text == "}" and braces:
            open_ -= braces.pop()
        elif token.text == ";" and brackets <= 0:
            waiting = 0
    return deepest
