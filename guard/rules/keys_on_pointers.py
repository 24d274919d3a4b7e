"""Hint: something is remembered by an address; contents at one address differ in every call."""

import ast
from collections.abc import Iterator

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, loaded

LOOK_UPS = ("get", "add", "setdefault", "pop")


def _look(file: SourceFile) -> Found:
    for function in file.functions:
        pointers = _pointer_names(function)
        for node in ast.walk(function):
            for key in _keys(node):
                if _takes_address(key) or loaded(key) & pointers:
                    yield key.lineno, "remembers by data_ptr(): the same place, other contents"


def _pointer_names(function: ast.AST) -> set[str]:
    return {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _takes_address(node.value)
    }


def _takes_address(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "data_ptr"
        for n in ast.walk(node)
    )


def _keys(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        yield node.left
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in LOOK_UPS:
        yield from node.args[:1]


RULE = StaticRule(
    name="keys-on-pointers",
    weight="hint",
    summary="something is remembered by the address of a tensor",
    look=_look,
)
