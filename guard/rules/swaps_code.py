"""Refusal: a function is given other code, behind the same name and identity."""

import ast

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, constant


def _look(file: SourceFile) -> Found:
    for node in file.nodes:
        if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            continue
        if node.attr == "__code__":
            yield node.lineno, "assigns __code__"
    for call, called in file.calls:
        if called == "builtins.setattr" and "__code__" in map(constant, call.args[1:2]):
            yield call.lineno, "assigns __code__"


RULE = StaticRule(
    name="swaps-code",
    weight="refusal",
    summary="a function's code object is replaced",
    look=_look,
)
