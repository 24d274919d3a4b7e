"""Hint: what a call was given is kept in the module; every call is judged on fresh inputs.

Kernels, plans and workspaces may be kept: the rule looks at arguments and their copies alone.
"""

import ast
from collections.abc import Iterator

from guard.rules._rule import Found, StaticRule
from guard.source_file import Function, SourceFile, parameters, root

COPIES = ("clone", "detach", "contiguous", "copy")


def _look(file: SourceFile) -> Found:
    module_names = {
        target.id
        for node in file.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for function in file.functions:
        given = set(parameters(function))
        for line, holder, value in _kept(function):
            if holder in module_names - given and _is_argument(value, given):
                yield line, f"keeps an argument of the call in {holder}"


def _kept(function: Function) -> Iterator[tuple[int, str, ast.expr]]:
    shared = {name for n in ast.walk(function) if isinstance(n, ast.Global) for name in n.names}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                start = root(target)
                if not isinstance(start, ast.Name):
                    continue
                if isinstance(target, ast.Subscript) or start.id in shared:
                    yield node.lineno, start.id, node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            start = root(node.func)
            if node.func.attr in ("append", "setdefault") and isinstance(start, ast.Name):
                yield from ((node.lineno, start.id, value) for value in node.args[-1:])


def _is_argument(value: ast.expr, given: set[str]) -> bool:
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in COPIES:
            return False
        value = value.func.value
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return any(isinstance(part, ast.Name) and part.id in given for part in parts)


RULE = StaticRule(
    name="keeps-results",
    weight="hint",
    summary="an argument of a call, or a copy of it, is kept for later calls",
    look=_look,
)
