"""Refusal: the house's own packages are imported.

A solution may bring a module of the same name: then it imports its own.
"""

import ast
from collections.abc import Iterator

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, constant

HOUSE = ("guard", "server", "memory", "coordinator")


def _look(file: SourceFile) -> Found:
    for line, module in _modules(file):
        first = module.partition(".")[0]
        if first in HOUSE and first not in file.own_modules:
            yield line, f"imports {module}"


def _modules(file: SourceFile) -> Iterator[tuple[int, str]]:
    for node in file.nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
        elif isinstance(node, ast.Subscript) and file.dotted(node.value) == "sys.modules":
            yield node.lineno, constant(node.slice)
    for call, called in file.calls:
        if called in ("importlib.import_module", "builtins.__import__") and call.args:
            yield call.lineno, constant(call.args[0])


RULE = StaticRule(
    name="imports-house",
    weight="refusal",
    summary="modules of the server, the guard, the coordinator or the board are imported",
    look=_look,
)
