"""Expressions of C++ and Python as one kind of tree.

Start at `Expression`. Not here: how it is read (`parsing`), what it does (`evaluating`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_TEMPLATE = 40
"""Words between the angles of a template."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression.

    By kind: *name*, *number*, *string*; *call* and *launch* (what is called, then what it is
    given), *keyword* (a named argument), *index* (of what, then where), *member*, *unary*,
    *binary*, *choice* (condition, then both), *assign* (target, value), *step*, *list*, *lambda*.
    """

    kind: str
    text: str = ""
    parts: tuple["Expression", ...] = ()


NOTHING = Expression("list")
TYPES = frozenset(
    [
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "unsigned",
        "signed",
        "size_t",
        "auto",
        "half",
        "__half",
        "bfloat16",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "ptrdiff_t",
        "const",
        "__nv_bfloat16",
        "float2",
        "float4",
        "uint4",
        "uint2",
        "int4",
        "int2",
        "__half2",
        "half2",
        "__nv_bfloat162",
        "volatile",
        "struct",
        "std.size_t",
        "std.int64_t",
        "std.uint32_t",
        "std.int32_t",
        "double2",
        "std.uint64_t",
    ]
)
_C_LEVELS = (
    ("||", "or"), ("&&", "and"), ("|",), ("^",), ("&",), ("==", "!=", "in", "is"),
    ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%", "//", "@"), ("**",),
)  # fmt: skip
POWER = {op: level for level, ops in enumerate(_C_LEVELS, 4) for op in ops}
"""How strongly operators bind."""
MARKS = ("<<=", ">>=", "**=", "//=", "->*", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=",
          "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "++", "--", "**", "//", ":=")  # fmt: skip
"""Operators of several characters."""


def is_name(word: str) -> bool:
    """Whether it could be somebody's name."""
    return word[:1].isalpha() or word[:1] == "_"


def template_end(words: Sequence[str], at: int) -> int:
    """Where the template is over whose angle stands at `at`; 0: it is a comparison."""
    depth = 0
    for end in range(at, min(at + MAX_TEMPLATE, len(words))):
        word = words[end]
        depth += (word == "<") - (word == ">") + 3 * (word == "<<<")
        if depth == 0:
            return end + 1
        if (word in ("&", "|") and words[end + 1 : end + 2] == [word]) or word in (
            ";",
            "{",
            "?",
            "=",
        ):
            return 0
    return 0
