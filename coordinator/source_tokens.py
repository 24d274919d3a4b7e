"""A source's text, cut into tokens; nothing is run.

    text -> Token, Token…

One pass from left to right that never goes back, so that hostile text costs no more than its
length; a parser could be kept busy, and this runs in the server. Comments say nothing, and neither
do strings of Python; strings of C++ may hold inline PTX.

Start at `tokens_of`. Not here: what tokens say (`source_names`, `distance`).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

PYTHON = (".py",)
"""Endings of files that are read as Python; others are read as C++."""
_TOKEN = re.compile(r'"""|\'\'\'|//|/\*|<<<|::|->|[^\W\d]\w*|\d[\w.]*|\S')
_PLAIN = frozenset("()[]{}<>+-*,;:=.&|!%^~?@")
_STRINGS = {q: re.compile(rf"(?:[^{q}\\\n]|\\[\s\S])*{q}?") for q in ('"', "'")}
_RAW = re.compile(r"[^ ()\\\t\n]{0,16}\(")
_PRAGMA = re.compile(r"[ \t]*pragma\b")


class Token(NamedTuple):
    """One piece of text that says something."""

    kind: str
    """name, mark, text (what a string holds) or pragma."""
    text: str
    column: int
    """Where it stands when it is the first of its line, else -1."""


def tokens_of(text: str, python: bool) -> Iterator[Token]:
    """The tokens of one file."""
    at = end = 0
    last = ""
    while match := _TOKEN.search(text, at):
        found, start, stop = match[0], match.start(), match.end()
        first = end == 0 or "\n" in text[end:start]
        token: Token | None
        column = start - max(end, text.rfind("\n", end, start) + 1) if first else -1
        if found[0].isalpha() or found[0] == "_":
            token, at = Token("name", found, column), stop
        elif found in _PLAIN:
            token, at = Token("mark", found, column), stop
        else:
            special, at = _special(text, match, python, last)
            token = special._replace(column=column) if special is not None else None
        end = at
        if token is not None:
            last = token.text
            yield token


def _special(text: str, match: re.Match[str], python: bool, last: str) -> tuple[Token | None, int]:
    """One token that is no name, and where the next may begin; none for a comment."""
    found, end = match[0], match.end()
    if found == "#" if python else found == "//":
        return None, _until(text, "\n", end)
    if not python and found == "/*":
        return None, _until(text, "*/", end)
    if not python and found == "#":
        return _directive(text, end)
    if found[0] in "\"'":
        return _string(text, match, python, last)
    return Token("name" if re.match(r"[^\W\d]", found) else "mark", found, -1), end


def _directive(text: str, at: int) -> tuple[Token, int]:
    if _PRAGMA.match(text, at):
        end = _until(text, "\n", at)
        return Token("pragma", f"#{' '.join(text[at:end].split())}", -1), end
    # Of an include or a definition, the words count like others'.
    return Token("mark", "#", -1), at


def _string(text: str, match: re.Match[str], python: bool, last: str) -> tuple[Token, int]:
    quote, end = match[0], match.end()
    if len(quote) == 3:
        if python:
            return Token("mark", quote, -1), _until(text, quote, end)
        quote, end = quote[0], match.start() + 1
    # A raw string of C++ begins with a name that ends in R, and nothing between.
    raw = _RAW.match(text, end) if not python and quote == '"' and last.endswith("R") else None
    if raw and text[match.start() - 1] == "R":
        close = f'){raw[0][:-1]}"'
        stop = _until(text, close, raw.end())
    else:
        inside = _STRINGS[quote].match(text, end)
        stop = inside.end() if inside else end
    return (Token("mark", quote, -1) if python else Token("text", text[end:stop], -1)), stop


def _until(text: str, mark: str, start: int) -> int:
    """Where `mark` ends after `start`, or the end of the text."""
    found = text.find(mark, start)
    # A line's end is left, since it says that the next token is the first of its line.
    return len(text) if found < 0 else found + (len(mark) if mark != "\n" else 0)
