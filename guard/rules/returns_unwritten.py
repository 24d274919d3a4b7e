"""Hint: a fresh, uninitialised tensor is returned and nothing in between ever used it."""

import ast

from guard.rules._rule import Found, StaticRule
from guard.source_file import Function, SourceFile, loaded

FRESH = ("torch.empty", "torch.empty_like", "torch.empty_strided")


def _look(file: SourceFile) -> Found:
    for function in file.functions:
        for name, line in _fresh(file, function).items():
            uses = [n for n in ast.walk(function) if _reads(n, name)]
            returned = [n for n in ast.walk(function) if _returns(n, name)]
            if returned and len(uses) == len(returned):
                yield line, f"{name} is allocated and returned, and nothing writes it"


def _fresh(file: SourceFile, function: Function) -> dict[str, int]:
    return {
        node.targets[0].id: node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and file.dotted(node.value.func) in FRESH
    }


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _returns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Return) and node.value is not None and name in loaded(node.value)


RULE = StaticRule(
    name="returns-unwritten",
    weight="hint",
    summary="an output is allocated uninitialised and returned without being written",
    look=_look,
)
