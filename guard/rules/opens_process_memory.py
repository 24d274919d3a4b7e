"""Refusal: a process's memory is opened as a file, or what another process holds under /proc."""

import ast
import re

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, constant

MEMORY = re.compile(r"/proc/[^/]+/mem")
OTHERS = re.compile(r"/proc/(?!self/|thread-self/)[^/]+/(environ|fd|maps|root|cwd)(/.*)?")


def _look(file: SourceFile) -> Found:
    for node in file.nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and _forbidden(constant(node)):
            yield node.lineno, f"names the file {constant(node)}"
    for token in file.tokens:
        if token.kind == "text" and _forbidden(token.text):
            yield token.line, f"names the file {token.text}"


def _forbidden(path: str) -> bool:
    return bool(MEMORY.fullmatch(path) or OTHERS.fullmatch(path))


RULE = StaticRule(
    name="opens-process-memory",
    weight="refusal",
    summary="the memory file of a process, or another process's environment or descriptors",
    look=_look,
)
