"""Hint: when the kernel raises, something else computes the answer, and its time is what counts."""

import ast

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile


def _look(file: SourceFile) -> Found:
    for function in file.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Try) and any(_computes(file, h) for h in node.handlers):
                yield node.lineno, "computes the answer in another way when the kernel raises"


def _computes(file: SourceFile, handler: ast.ExceptHandler) -> bool:
    called = [file.dotted(n.func) for n in ast.walk(handler) if isinstance(n, ast.Call)]
    return any(name.startswith("torch.") for name in called)


RULE = StaticRule(
    name="falls-back",
    weight="hint",
    summary="an exception of the kernel is answered by a library call",
    look=_look,
)
