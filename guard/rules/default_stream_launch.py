"""Hint: host code launches on the default stream, which cannot be recorded with the current one."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, Token

STREAM_AT = 3
"""Commas before the stream in ``<<<grid, block, shared, stream>>>``."""


def _look(file: SourceFile) -> Found:
    tokens = file.tokens
    for at in range(len(tokens) - 2):
        opens = [t.text for t in tokens[at : at + 3]] == ["<"] * 3 and tokens[at].kind == "mark"
        if opens and _commas(tokens, at + 3) < STREAM_AT:
            yield tokens[at].line, "launches on the default stream; pass the current one"


def _commas(tokens: tuple[Token, ...], at: int) -> int:
    """Commas of the launch itself, not of calls inside it."""
    depth = found = 0
    for position in range(at, len(tokens)):
        text = tokens[position].text
        if [t.text for t in tokens[position : position + 3]] == [">"] * 3:
            break
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text, 0)
        found += text == "," and depth == 0
    return found


RULE = StaticRule(
    name="default-stream-launch",
    weight="hint",
    summary="a kernel is launched without naming a stream",
    look=_look,
)
