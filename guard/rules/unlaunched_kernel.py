"""Hint: a Triton kernel is defined and nothing mentions it, so something else does the work."""

from guard.rules._rule import Found, StaticRule
from guard.source_file import SourceFile, loaded


def _look(file: SourceFile) -> Found:
    used = loaded(file.tree)
    for function in file.functions:
        decorators = {file.dotted(d).removesuffix(".()") for d in function.decorator_list}
        if "triton.jit" in decorators and function.name not in used:
            yield function.lineno, f"the kernel {function.name} is never launched"


RULE = StaticRule(
    name="unlaunched-kernel",
    weight="hint",
    summary="a kernel is defined and never launched",
    look=_look,
)
