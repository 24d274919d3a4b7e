"""Refusal: a signal is sent to the parent, to everybody, or to a process named by its number.

A signal to itself, or to a child that it started, is no business of the house.
"""

import ast

from guard.rules._rule import Found, StaticRule, followed_by
from guard.source_file import SourceFile

SENDERS = ("os.kill", "os.killpg", "os.pidfd_open")


def _look(file: SourceFile) -> Found:
    for call, called in file.calls:
        if called in SENDERS and call.args and (whom := _whom(file, call.args[0])):
            yield call.lineno, f"{called} on {whom}"
    for at, token in enumerate(file.tokens):
        if token.text == "kill" and followed_by(file.tokens, at, "(", "getppid", "("):
            yield token.line, "kill on its parent"


def _whom(file: SourceFile, pid: ast.expr) -> str:
    if file.dotted(pid) == "os.getppid.()":
        return "its parent"
    if isinstance(pid, ast.UnaryOp) and ast.unparse(pid) == "-1":
        return "every process it may"
    if isinstance(pid, ast.Constant) and isinstance(pid.value, int) and pid.value > 0:
        return f"process {pid.value}"
    return ""


RULE = StaticRule(
    name="signals-others",
    weight="refusal",
    summary="a signal is sent to the parent, to all processes, or to a process by its number",
    look=_look,
)
