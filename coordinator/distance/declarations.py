"""Whether a statement of C++ declares something, and what.

    words -> Declaration

Start at `declared`. Not here: what becomes of it (`reading`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from coordinator.distance.parsing import read_expressions
from coordinator.distance.syntax import Expression, is_name, template_end

_QUALIFIERS = frozenset(
    [
        "const",
        "static",
        "constexpr",
        "constinit",
        "extern",
        "inline",
        "mutable",
        "volatile",
        "thread_local",
        "register",
        "typename",
        "unsigned",
        "signed",
        "long",
        "short",
        "struct",
        "union",
        "__shared__",
        "__device__",
        "__constant__",
        "__restrict__",
        "__restrict",
        "restrict",
        "__forceinline__",
        "__grid_constant__",
        "RESTRICT",
        "explicit",
        "virtual",
        "friend",
    ]
)
_SIZED = frozenset(("unsigned", "signed", "long", "short"))
_BRACKETED = frozenset(("__align__", "alignas", "__attribute__", "__declspec", "decltype"))
_NOT_TYPES = frozenset(("return", "delete", "throw", "goto", "using", "typedef", "case", "new",
                        "operator", "else", "sizeof", "co_return", "template"))  # fmt: skip
_AFTER = frozenset(("=", ",", "[", "(", "{", ":", ""))


@dataclass(frozen=True)
class Declaration:
    """What a statement declares."""

    type: str
    shared: bool
    pointer: bool
    names: tuple[Expression, ...]
    """Each as it is written: a name, an index for an array, a call, or what it is set to."""


@lru_cache(maxsize=20_000)
def parsed(words: tuple[str, ...], python: bool) -> tuple[Expression, ...]:
    """The expressions of a statement; read once."""
    return read_expressions(words, python=python)


@lru_cache(maxsize=20_000)
def declared(words: tuple[str, ...]) -> Declaration | None:
    """What a statement declares; None: nothing."""
    at, sized, shared = 0, False, False
    while at < len(words) and (words[at] in _QUALIFIERS or words[at] in _BRACKETED):
        sized, shared = sized or words[at] in _SIZED, shared or words[at] == "__shared__"
        at = _after_brackets(words, at + 1) if words[at] in _BRACKETED else at + 1
    kind = words[at] if at < len(words) else ""
    if kind in _NOT_TYPES or not (is_name(kind) or sized):
        return None
    if is_name(kind) and not (sized and (words[at + 1 : at + 2] or ("",))[0] in _AFTER):
        at = _after_type(words, at + 1)
    elif not sized:
        return None
    pointer = False
    while at < len(words) and (words[at] in "*&" or words[at] in _QUALIFIERS):
        pointer, at = pointer or words[at] == "*", at + 1
    if words[at : at + 1] == ("[",) and kind == "auto":
        return _bound(words, at)
    after = words[at + 1] if at + 1 < len(words) else ""
    if at >= len(words) or not is_name(words[at]) or after not in _AFTER or not at:
        return None
    named = kind if kind.startswith("std.") else kind.rpartition(".")[2]
    if kind == "std.array" and "<" in words:
        # An array of structures, as `T name[n]` is one.
        named = words[words.index("<") + 1]
    return Declaration(named, shared, pointer, parsed(words[at:], python=False))


def _bound(words: Sequence[str], at: int) -> Declaration | None:
    """What ``auto [a, b] = …`` declares."""
    if "]" not in words[at:]:
        return None
    end = words.index("]", at)
    names = tuple(Expression("name", word) for word in words[at + 1 : end] if is_name(word))
    value = parsed(tuple(words[end + 2 :]), python=False)
    whole = Expression("assign", "=", (Expression("list", "", names), *value[:1]))
    return Declaration("auto", False, False, (whole,)) if value else None


def _after_type(words: Sequence[str], at: int) -> int:
    while at < len(words):
        if words[at] == "<":
            end = template_end(words, at)
            if not end:
                return at
            at = end
        elif words[at] in ("::", ".") and is_name(words[at + 1] if at + 1 < len(words) else ""):
            at += 2
        else:
            return at
    return at


def _after_brackets(words: Sequence[str], at: int) -> int:
    depth = 0
    while at < len(words):
        depth += (words[at] == "(") - (words[at] == ")")
        at += 1
        if depth == 0:
            break
    return at
