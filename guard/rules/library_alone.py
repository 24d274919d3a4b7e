"""Hint: the entry function is one library call, so at best it is as fast as the library."""

import ast

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile


def _look(file: SourceFile) -> Found:
    for function in file.functions:
        if function.name != file.entry_point:
            continue
        body = [s for s in function.body if not _is_docstring(s)]
        if len(body) != 1:
            continue
        called = [file.dotted(n.func) for n in ast.walk(body[0]) if isinstance(n, ast.Call)]
        library = [name for name in called if name.startswith("torch.")]
        if library:
            yield body[0].lineno, f"{library[0]} does the whole work"


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


RULE = StaticRule(
    name="library-alone",
    weight="hint",
    summary="one library call does the whole work",
    look=_look,
)
