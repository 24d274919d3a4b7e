"""Refusal: a library is set to be loaded into later processes ahead of their own."""

import ast
from collections.abc import Iterator

from guard.rules._rule import Found, StaticRule, followed_by
from guard.source_file import SourceFile, constant

VARIABLES = ("LD_PRELOAD", "LD_AUDIT")
SETTERS = ("os.putenv", "os.environ.setdefault")


def _look(file: SourceFile) -> Found:
    for node in _named(file):
        if (variable := constant(node).partition("=")[0]) in VARIABLES:
            yield node.lineno, f"sets {variable}"
    for at, token in enumerate(file.tokens):
        if token.text in ("setenv", "putenv") and followed_by(file.tokens, at, "("):
            for named in file.tokens[at + 2 : at + 3]:
                if (variable := named.text.partition("=")[0]) in VARIABLES:
                    yield token.line, f"sets {variable}"


def _named(file: SourceFile) -> Iterator[ast.expr]:
    """What names an environment variable that is set."""
    for node in file.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield node.slice
        elif isinstance(node, ast.Dict):
            yield from (key for key in node.keys if key is not None)
    for call, called in file.calls:
        if called in SETTERS:
            yield from call.args[:1]


RULE = StaticRule(
    name="preloads-libraries",
    weight="refusal",
    summary="LD_PRELOAD or LD_AUDIT is set",
    look=_look,
)
