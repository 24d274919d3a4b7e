"""Refusal: a function of torch, time, math, numpy or the builtins is replaced.

Clocks, waits and comparisons of the house live in another process, so nothing is gained by it; no
kernel needs it. Settings are not functions: flags, constants and containers may be assigned, and so
may a shim for what ``hasattr`` says is missing.
"""

import ast
from collections.abc import Iterator

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, constant

PLAIN = ("time", "math", "builtins")
"""Modules without settings: any of their names."""
LIBRARIES = ("torch", "numpy", "triton.testing")
HOUSE = ("guard", "server", "memory", "coordinator")
SETTINGS = ("backends", "config", "_dynamo", "_inductor", "ops", "classes")
SETTERS = ("builtins.setattr", "builtins.delattr", "builtins.object.__setattr__",
           "builtins.type.__setattr__")  # fmt: skip
PATCHERS = ("unittest.mock.patch", "unittest.mock.patch.object", "mock.patch", "mock.patch.object")


def _look(file: SourceFile) -> Found:
    shims = _shims(file)
    for node in file.nodes:
        for target, value in _stores(node):
            name = _target_name(file, target)
            if (target.lineno, name.rpartition(".")[2]) in shims:
                continue
            if _guarded(file, name, value):
                yield target.lineno, f"replaces {name}"
    for call, called in file.calls:
        name = _patched(file, call, called)
        if name and _guarded(file, name, call.args[2] if len(call.args) > 2 else None):
            yield call.lineno, f"replaces {name}"


def _stores(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets, value = [node.target], node.value
    elif isinstance(node, ast.Delete):
        targets = node.targets
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            # Unpacked: which value goes where is not followed, so it is taken for a function.
            yield from ((part, None) for part in target.elts)
        else:
            yield target, value


def _target_name(file: SourceFile, target: ast.expr) -> str:
    """What is assigned to, in full: an attribute, an entry of its ``__dict__``, or a module."""
    if isinstance(target, ast.Attribute):
        return file.dotted(target)
    if not isinstance(target, ast.Subscript):
        return ""
    holder, key = target.value, constant(target.slice)
    if file.dotted(holder) == "sys.modules" and key:
        return f"{key}.*"
    if isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
        return _entry(file, holder.value, key)
    if isinstance(holder, ast.Call) and file.dotted(holder.func) == "builtins.vars":
        return _entry(file, holder.args[0], key) if holder.args else ""
    return ""


def _entry(file: SourceFile, holder: ast.expr, key: str) -> str:
    name = file.dotted(holder)
    return f"{name}.{key or '*'}" if name else ""


def _patched(file: SourceFile, call: ast.Call, called: str) -> str:
    if called in SETTERS and len(call.args) > 1:
        return _entry(file, call.args[0], constant(call.args[1]))
    if called in PATCHERS and call.args:
        whole = constant(call.args[0])
        return whole or _entry(file, call.args[0], constant(call.args[-1]))
    if called.endswith(".__dict__.update"):
        return called.removesuffix(".__dict__.update") + ".*"
    return ""


def _guarded(file: SourceFile, name: str, value: ast.expr | None) -> bool:
    # A module that the solution brings itself is its own to change, whatever its name.
    if "()" in name or name.partition(".")[0] in file.own_modules:
        return False
    if any(name.startswith(f"{module}.") for module in (*PLAIN, *HOUSE)):
        return True
    if not any(name.startswith(f"{library}.") for library in LIBRARIES):
        return False
    if set(name.split(".")) & set(SETTINGS):
        return False
    settings = (ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple)
    return not isinstance(value, settings)


def _shims(file: SourceFile) -> set[tuple[int, str]]:
    """Lines that add what is missing: ``if not hasattr(torch, "x"): torch.x = …``."""
    found: set[tuple[int, str]] = set()
    for node in file.nodes:
        if not isinstance(node, ast.If) or not isinstance(node.test, ast.UnaryOp):
            continue
        test = node.test.operand
        if isinstance(test, ast.Call) and file.dotted(test.func) == "builtins.hasattr":
            name = constant(test.args[-1]) if test.args else ""
            found |= {(line, name) for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    return found


RULE = StaticRule(
    name="patches-modules",
    weight="refusal",
    summary="a function of torch, time, math, numpy, the builtins or the house is replaced",
    look=_look,
)
