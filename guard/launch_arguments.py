"""The arguments of a launch plan: text such as ``x``, ``int32:M+1`` or ``bfloat16*:x``.

Start at `argument`; `check_argument` is what can be told before any name is known.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from guard.domain.errors import MalformedSolution
from guard.domain.expression import BadExpression, names_in
from guard.launch_values import Argument, Kind, integer, within

Scalars = Mapping[str, bool | int | float]

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
POINTED = (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
    "int64", "int32", "int16", "int8", "uint8", "bool",
)  # fmt: skip
"""What a pointer may point to."""
_INTEGERS: dict[str, Kind] = {"int32": "int32", "int64": "int64"}
_FLOATS: dict[str, Kind] = {"float32": "float32", "float64": "float64"}
_TYPES = (
    "numbers are written int32:EXPR, int64:EXPR, float32:NUMBER or float64:NUMBER, "
    "typed pointers bfloat16*:NAME"
)


@dataclass(frozen=True)
class Names:
    """What the arguments of a plan may name, for one workload."""

    pointers: Collection[str]
    """Tensors and workspaces."""
    tensor_maps: Collection[str]
    scalars: Scalars
    axes: Mapping[str, int]

    @property
    def numbers(self) -> dict[str, int]:
        """Axes, and the scalar inputs that are whole."""
        whole = {n: int(v) for n, v in self.scalars.items() if float(v).is_integer()}
        return {**self.axes, **whole}


def check_expression(field: str, expression: str) -> frozenset[str]:
    """The names that an expression uses.

    Raises:
        MalformedSolution: it cannot be read.
    """
    try:
        return names_in(expression)
    except BadExpression as error:
        raise MalformedSolution(field, str(error)) from error


def check_argument(field: str, text: str) -> None:
    """Check the syntax.

    Raises:
        MalformedSolution: the field and the reason.
    """
    kind, colon, rest = text.partition(":")
    if not colon:
        if not IDENTIFIER.fullmatch(text):
            raise MalformedSolution(field, f"{text!r} is no name; write int32:EXPR for a number")
    elif kind in _INTEGERS:
        check_expression(field, rest)
    elif kind.endswith("*"):
        _check_pointer(field, kind[:-1], rest.strip())
    elif kind not in _FLOATS:
        raise MalformedSolution(field, f"{text!r}: {kind!r} is no type; {_TYPES}")
    elif not IDENTIFIER.fullmatch(rest.strip()) and _number(rest) is None:
        raise MalformedSolution(field, f"{text!r}: {rest!r} is neither a number nor a name")


def _check_pointer(field: str, dtype: str, name: str) -> None:
    if dtype not in POINTED:
        reason = f"{dtype!r} is nothing to point to; known: {', '.join(POINTED)}"
        raise MalformedSolution(field, reason)
    if not IDENTIFIER.fullmatch(name):
        raise MalformedSolution(field, f"{name!r} is no name")


def argument(field: str, text: str, names: Names) -> Argument:
    """What the text means for one workload. A bare scalar is passed as float32.

    Raises:
        MalformedSolution: the field, and what it may be.
    """
    kind, colon, rest = text.partition(":")
    if not colon:
        return _named(field, text, names)
    if kind in _INTEGERS:
        value = integer(field, rest, names.numbers)
        bits = 31 if kind == "int32" else 63
        return Argument(_INTEGERS[kind], within(field, value, 2**bits - 1, -(2**bits)))
    if kind in _FLOATS:
        known = {**names.numbers, **names.scalars}
        return Argument(_FLOATS[kind], _float(field, rest.strip(), known))
    name = rest.strip()
    if name not in names.pointers:
        known_names = ", ".join(names.pointers)
        raise MalformedSolution(field, f"{name!r} is no tensor here. Known: {known_names}")
    return Argument("pointer", name, kind.removesuffix("*"))


def _named(field: str, text: str, names: Names) -> Argument:
    if text in names.pointers:
        return Argument("pointer", text)
    if text in names.tensor_maps:
        return Argument("tensor_map", text)
    if text in names.scalars:
        return Argument("float32", float(names.scalars[text]))
    known = ", ".join([*names.pointers, *names.tensor_maps, *names.scalars])
    raise MalformedSolution(field, f"{text!r} names nothing here. Known: {known}; {_TYPES}")


def _float(field: str, text: str, names: Scalars) -> float:
    if text in names:
        return float(names[text])
    number = _number(text)
    if number is None:
        raise MalformedSolution(
            field, f"{text!r} is neither a number nor one of {', '.join(names) or 'no names'}"
        )
    return number


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
