"""Read a solution's files for the static rules: a syntax tree for Python, tokens for C++ and CUDA.

    Solution -> SourceFile per file -> guard.rules

Names are resolved where that is easy (imports, from-imports, plain aliases, `getattr` with a
constant). A name with two meanings in one file means nothing here: rules must not guess.

Reading hostile text may take long or end the process, so it belongs in the clerk (`guard.clerk`).
Start at `read_files`. Not here: what is looked for (`guard.rules`).
"""

import ast
import builtins
import re
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from guard.domain.solution import Solution

ALIAS_PASSES = 3
"""An alias of an alias of an alias is resolved; deeper ones are not."""
Function = ast.FunctionDef | ast.AsyncFunctionDef

_TOKEN = re.compile(
    r"""
    (?P<comment>//(?:[^\n\\]|\\\r?\n|\\.)*|/\*.*?(?:\*/|\Z))
    |(?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^ ()\\\t\n]{0,16})\((?P<inside>.*?)\)(?P=delimiter)")
    |(?P<text>(?:u8|[uUL])?"(?P<content>(?:[^"\\\n]|\\.)*)"?)
    |(?P<char>'(?:[^'\\\n]|\\.)*'?)
    |(?P<number>\.?\d(?:'?[\w.])*)
    |(?P<name>[^\W\d]\w*)
    |(?P<mark>[^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One word, number, string or mark of C++ source."""

    kind: str
    """name, number, text (a string's content) or mark."""
    text: str
    line: int


@dataclass(frozen=True)
class SourceFile:
    """One file of a solution, as rules see it: either `tree` or `tokens` says something."""

    path: str
    entry_point: str
    tree: ast.Module = field(default_factory=lambda: ast.Module(body=[], type_ignores=[]))
    tokens: tuple[Token, ...] = ()
    own_modules: frozenset[str] = frozenset()
    """Modules that the solution brings itself, by the first part of their name."""

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def calls(self) -> tuple[tuple[ast.Call, str], ...]:
        """Every call with the dotted name of what is called, empty where it is not known."""
        return tuple((n, self.dotted(n.func)) for n in self.nodes if isinstance(n, ast.Call))

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Every function, methods and inner ones included."""
        return tuple(n for n in self.nodes if isinstance(n, Function))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What a name stands for in the whole file, such as ``F`` for ``torch.nn.functional``."""
        found: dict[str, set[str]] = {}
        for name, meaning in _imported(self.nodes):
            found.setdefault(name, set()).add(meaning)
        known = {name: min(all_) for name, all_ in found.items() if len(all_) == 1}
        assigned = _assigned(self.nodes)
        unclear = self.bound - assigned.keys()
        known = {name: meaning for name, meaning in known.items() if name not in unclear}
        for _ in range(ALIAS_PASSES):
            aliases = {name: _dotted(value, known, self.bound) for name, value in assigned.items()}
            known |= {name: meaning for name, meaning in aliases.items() if meaning}
        return {name: meaning for name, meaning in known.items() if name not in unclear}

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names that are given a meaning otherwise than by an import."""
        return frozenset(_bound(self.nodes))

    def dotted(self, node: ast.AST) -> str:
        """The full name of an expression, such as ``torch.cuda.Event``; empty: not known.

        A call on the way shows as ``()``: ``ctypes.CDLL.().ptrace``.
        """
        return _dotted(node, self.names, self.bound)


def read_files(solution: Solution) -> Iterator[SourceFile]:
    """Every file of a solution that can be read; what does not parse is the compiler's to tell."""
    own = frozenset(re.split(r"[/.]", source.path)[0] for source in solution.sources)
    for source in solution.sources:
        if not source.path.endswith(".py"):
            tokens = tuple(tokenise(source.content))
            yield SourceFile(source.path, solution.entry_point, tokens=tokens, own_modules=own)
        elif (tree := _parsed(source.content)) is not None:
            yield SourceFile(source.path, solution.entry_point, tree, own_modules=own)


def tokenise(text: str) -> Iterator[Token]:
    """The tokens of C++ source, comments and character constants left out."""
    ends = [match.start() for match in re.finditer("\n", text)]
    for match in _TOKEN.finditer(text):
        line = bisect_right(ends, match.start()) + 1
        if match["raw"] is not None:
            yield Token("text", match["inside"], line)
        elif match["text"] is not None:
            yield Token("text", match["content"], line)
        elif match.lastgroup in ("number", "name", "mark"):
            yield Token(match.lastgroup, match[0], line)


def constant(node: ast.AST | None) -> str:
    """A string constant's value, or the constant parts of an f-string with ``{}`` between."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(constant(part) or "{}" for part in node.values)
    return ""


def root(node: ast.AST) -> ast.AST:
    """What an attribute, subscript or call chain starts from."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def loaded(node: ast.AST) -> set[str]:
    """Names that are read anywhere below a node."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def parameters(function: Function) -> list[str]:
    """A function's parameters by name."""
    given = function.args
    return [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _imported(nodes: tuple[ast.AST, ...]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (first, first)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _assigned(nodes: tuple[ast.AST, ...]) -> dict[str, ast.expr]:
    """Names that are stored exactly once in the file, by ``name = value``."""
    values: dict[str, ast.expr] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = node.value
    stored = Counter(_bound(nodes))
    imported = {name for name, _ in _imported(nodes)}
    return {n: v for n, v in values.items() if stored[n] == 1 and n not in imported}


def _bound(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, Function | ast.ClassDef | ast.ExceptHandler) and node.name:
            yield node.name


def _dotted(node: ast.AST, names: Mapping[str, str], bound: frozenset[str]) -> str:
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            named = _reached(node, bound)
            if named is None:
                parts.append("()")
                node = node.func
            elif named[0] is None:
                return ".".join((named[1], *reversed(parts)))
            else:
                parts.append(named[1])
                node = named[0]
        elif isinstance(node, ast.Subscript) and _is_modules(node.value) and constant(node.slice):
            return ".".join((constant(node.slice), *reversed(parts)))
        else:
            return ""
    first = names.get(node.id, "")
    if not first and node.id not in bound and hasattr(builtins, node.id):
        first = f"builtins.{node.id}"
    return ".".join((first, *reversed(parts))) if first else ""


def _reached(call: ast.Call, bound: frozenset[str]) -> tuple[ast.AST | None, str] | None:
    """``getattr(x, "a")`` as (x, a), ``import_module("m")`` as (None, m), other calls as None."""
    function, arguments = call.func, call.args
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in bound:
        return None
    if name == "getattr" and len(arguments) > 1 and constant(arguments[1]):
        return arguments[0], constant(arguments[1])
    if name in ("import_module", "__import__") and arguments and constant(arguments[0]):
        return None, constant(arguments[0])
    return None


def _is_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules"
