"""What the C preprocessor would leave of a file, and what it might leave elsewhere.

    tokens of a file -> words, macros expanded, dead `#if` dropped, dotted names joined

A condition that only the compiler knows has two outcomes: both are read, one per call. Start at
`preprocessed`. Not here: statements (`tree`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from coordinator.source_tokens import Token

MAX_WORDS = 60_000
"""Words of one file that are looked at, macros expanded."""
_DEPTH = 12
_JOINTS = (".", "::", "->")
_OPEN, _CLOSE = "([{", ")]}"


@dataclass
class _Macro:
    parameters: tuple[str, ...] | None
    body: tuple[str, ...]


@dataclass
class _State:
    """What directives have said so far."""

    prefer_first: bool
    macros: dict[str, _Macro] = field(default_factory=dict)
    conditions: list[list[bool]] = field(default_factory=list)
    """Per open `#if`: whether this branch is taken, and whether one was taken already."""

    @property
    def live(self) -> bool:
        return all(taken for taken, _ in self.conditions)


def preprocessed(tokens: Iterable[Token], *, prefer_first: bool) -> list[str]:
    """The words of a C++ file; `prefer_first`: the first branch where only the compiler knows."""
    state = _State(prefer_first)
    kept: list[str] = []
    for line in _lines(tokens):
        if line[0].text == "#" and line[0].kind == "mark":
            _direct([token.text for token in line[1:] if token.text != "\\"], state)
        elif state.live:
            kept += _expanded([_word(token) for token in line], state.macros)
        if len(kept) > MAX_WORDS:
            break
    return joined(kept[:MAX_WORDS])


def joined(words: Iterable[str]) -> list[str]:
    """Dotted names as one word each: ``std.exp``, ``threadIdx.x``."""
    found: list[str] = []
    for word in words:
        named = word[:1].isalpha() or word[:1] == "_"
        if named and len(found) > 1 and found[-1] in _JOINTS and _is_name(found[-2]):
            found.pop()
            found[-1] = f"{found[-1]}.{word}"[-200:]
        else:
            found.append(word)
    return found


def _is_name(word: str) -> bool:
    return word[:1].isalpha() or word[:1] == "_"


def _word(token: Token) -> str:
    return f'"{token.text}' if token.kind == "text" else token.text


def _lines(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Directives with their continuations; the rest of the file in pieces between them."""
    piece: list[Token] = []
    in_directive = False
    for token in tokens:
        starts = token.column >= 0 and not (piece and piece[-1].text == "\\")
        directive = token.text == "#" and token.kind == "mark" and starts
        if piece and (directive or (in_directive and starts)):
            yield piece
            piece = []
        in_directive = directive or (in_directive and bool(piece))
        piece.append(token)
    if piece:
        yield piece


def _direct(words: list[str], state: _State) -> None:
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind in ("if", "ifdef", "ifndef"):
        taken = _decided(kind, rest, state)
        state.conditions.append([taken, taken])
    elif kind in ("elif", "else") and state.conditions:
        branch = state.conditions[-1]
        taken = not branch[1] and (kind == "else" or _decided("if", rest, state))
        state.conditions[-1] = [taken, branch[1] or taken]
    elif kind == "endif" and state.conditions:
        state.conditions.pop()
    elif kind == "define" and rest and state.live:
        state.macros[rest[0]] = _macro(rest[1:])
    elif kind == "undef" and rest:
        state.macros.pop(rest[0], None)


def _decided(kind: str, words: list[str], state: _State) -> bool:
    """Whether a branch is taken; where only the compiler knows, as was asked for."""
    if kind == "ifdef":
        known = _defined(words[0] if words else "", state)
    elif kind == "ifndef":
        known = _not(_defined(words[0] if words else "", state))
    else:
        parts = " ".join(words).split("& &")
        values = [_part(part.split(), state) for part in parts]
        known = False if False in values else None if None in values else True
    return state.prefer_first if known is None else known


def _part(words: list[str], state: _State) -> bool | None:
    if words[:1] == ["!"]:
        return _not(_part(words[1:], state))
    if words[:1] == ["defined"]:
        return _defined(next((w for w in words[1:] if w != "("), ""), state)
    if len(words) == 1:
        word = words[0]
        macro = state.macros.get(word)
        if macro is not None and len(macro.body) == 1:
            word = macro.body[0]
        if word[0].isdigit():
            return word.strip("0uUlLx") != ""
        return None if word.startswith("__") else False
    return None


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _defined(name: str, state: _State) -> bool | None:
    if name in state.macros:
        return True
    # The compiler's own names begin so; any other is what the file itself defines.
    return None if name.startswith("__") else False


def _macro(words: list[str]) -> _Macro:
    if words[:1] == ["("] and ")" in words:
        end = words.index(")")
        names = words[1:end]
        if all(_is_name(w) or w in (",", ".") for w in names) and words[end + 1 :]:
            return _Macro(tuple(w for w in names if _is_name(w)), tuple(words[end + 1 :]))
    return _Macro(None, tuple(words))


def _expanded(words: list[str], macros: dict[str, _Macro], depth: int = 0) -> list[str]:
    """Macros replaced, as often as they nest, up to a limit."""
    if depth > _DEPTH or not macros:
        return words
    found: list[str] = []
    at, changed = 0, False
    while at < len(words) and len(found) <= MAX_WORDS:
        macro = macros.get(words[at])
        if macro is None:
            found.append(words[at])
            at += 1
        elif macro.parameters is None:
            found += macro.body
            at, changed = at + 1, True
        elif words[at + 1 : at + 2] == ["("]:
            given, at = arguments(words, at + 1)
            found += _filled(macro, given)
            changed = True
        else:
            found.append(words[at])
            at += 1
    return _expanded(found, macros, depth + 1) if changed and len(found) <= MAX_WORDS else found


def _filled(macro: _Macro, given: list[list[str]]) -> list[str]:
    values = dict(zip(macro.parameters or (), given, strict=False))
    filled: list[str] = []
    for word in macro.body:
        if filled[-2:] == ["#", "#"]:
            # The words on both sides of the two marks become one.
            filled[-3:] = ["".join((*filled[-3:-2], *values.get(word, (word,))))]
        else:
            filled += values.get(word, (word,))
    return filled


def arguments(words: Sequence[str], at: int) -> tuple[list[list[str]], int]:
    """What stands between the bracket at `at` and its end, by commas; and where that is over."""
    given: list[list[str]] = [[]]
    depth = 0
    for end in range(at, len(words)):
        word = words[end]
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth == 0:
            return ([] if given == [[]] else given), end + 1
        if word == "," and depth == 1:
            given.append([])
        elif end > at:
            given[-1].append(word)
    return given, len(words)
