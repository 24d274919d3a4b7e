"""Integer expressions over axes, as problem definitions and launch plans write them.

Names, integer literals, ``+ - * / // % **``, parentheses, comparisons (worth 0 or 1), ``and or
not``, ``A if C else B``, and the functions of `FUNCTIONS`; never `eval`.

Start at `evaluate`. Not here: who supplies the names (`problem`, `solution`).
"""

import ast
import operator
from collections.abc import Callable, Mapping

MAX_LENGTH = 400
MAX_MAGNITUDE = 2**62
MAX_EXPONENT = 64

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: lambda value: int(not value),
}

_COMPARE: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SYNTAX = (
    ast.Name, ast.UnaryOp, ast.BinOp, ast.expr_context, ast.Compare, ast.BoolOp, ast.boolop,
    ast.IfExp,
)  # fmt: skip


class BadExpression(ValueError):
    """An expression that cannot be read or does not give an integer."""


def evaluate(expression: str, names: Mapping[str, int]) -> int:
    """Evaluate `expression` over the integers in `names`.

    The result must be an int or an integer-valued float (SOL-ExecBench's rule).

    Raises:
        BadExpression: unknown name, forbidden syntax, division by zero, or no integer.
    """
    if len(expression) > MAX_LENGTH:
        raise BadExpression(f"the expression is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        value = _value(tree.body, names)
    except (SyntaxError, RecursionError, MemoryError, ValueError, ArithmeticError) as error:
        raise BadExpression(f"{expression!r}: {error}") from error
    if value != int(value):
        raise BadExpression(f"{expression!r} gives {value}, which is no integer")
    if abs(value) > MAX_MAGNITUDE:
        raise BadExpression("the value does not fit in 63 bits")
    return int(value)


def names_in(expression: str) -> frozenset[str]:
    """The names that `expression` uses: a check of its syntax before any value is known.

    Raises:
        BadExpression: it cannot be read or uses forbidden syntax.
    """
    if len(expression) > MAX_LENGTH:
        raise BadExpression(f"the expression is longer than {MAX_LENGTH} characters")
    try:
        nodes = list(ast.walk(ast.parse(expression.strip(), mode="eval").body))
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise BadExpression(f"{expression!r}: {error}") from error
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if not _is_allowed(node):
            raise BadExpression(f"{expression!r}: {_FORBIDDEN}")
    return frozenset(
        node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called
    )


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Call):
        return _called(node) is not None
    return isinstance(node, _SYNTAX) or any(
        type(node) in table for table in (_BINARY, _UNARY, _COMPARE)
    )


def _called(node: ast.Call) -> Callable[..., float] | None:
    """The function, if it is one of ours and takes that many arguments."""
    if not isinstance(node.func, ast.Name) or node.keywords or node.func.id not in FUNCTIONS:
        return None
    function, least, most = FUNCTIONS[node.func.id]
    return function if least <= len(node.args) <= most else None


def _value(node: ast.expr, names: Mapping[str, int]) -> float:
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.Name(id=name):
            if name not in names:
                raise BadExpression(f"unknown name {name!r}; known: {', '.join(names)}")
            return names[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand, names))
        case ast.BinOp(op=op, left=left, right=right):
            return _binary(type(op), _value(left, names), _value(right, names))
        case ast.IfExp():
            # The other branch may divide by zero or name a case that is not there.
            return _value(node.body if _value(node.test, names) else node.orelse, names)
        case ast.Compare() | ast.BoolOp():
            return _truth(node, names)
        case ast.Call():
            return _result(node, names)
    raise BadExpression(f"{ast.unparse(node)!r} is not allowed; {_FORBIDDEN}")


def _truth(node: ast.Compare | ast.BoolOp, names: Mapping[str, int]) -> float:
    """0 or 1; what does not matter any more is not evaluated."""
    if isinstance(node, ast.BoolOp):
        choose = all if isinstance(node.op, ast.And) else any
        return int(choose(_value(part, names) for part in node.values))
    left = _value(node.left, names)
    for op, operand in zip(node.ops, node.comparators, strict=True):
        if type(op) not in _COMPARE:
            raise BadExpression(f"{ast.unparse(node)!r} is not allowed; {_FORBIDDEN}")
        right = _value(operand, names)
        if not _COMPARE[type(op)](left, right):
            return 0
        left = right
    return 1


def _result(node: ast.Call, names: Mapping[str, int]) -> float:
    function = _called(node)
    if function is None:
        raise BadExpression(f"{ast.unparse(node)!r} is not allowed; {_FORBIDDEN}")
    value = function(*(_value(argument, names) for argument in node.args))
    if abs(value) > MAX_MAGNITUDE:
        raise BadExpression("the value does not fit in 63 bits")
    return value


def _cdiv(left: float, right: float) -> float:
    return -(-left // right)


def _next_power_of_2(value: float) -> float:
    if value != int(value) or value < 1:
        raise BadExpression(f"next_power_of_2 takes a whole number from 1, not {value}")
    return 1 << (int(value) - 1).bit_length()


FUNCTIONS: Mapping[str, tuple[Callable[..., float], int, int]] = {
    "min": (min, 2, 16),
    "max": (max, 2, 16),
    "cdiv": (_cdiv, 2, 2),
    "next_power_of_2": (_next_power_of_2, 1, 1),
}
"""Function, fewest and most arguments. ``cdiv`` divides and rounds up."""
_FORBIDDEN = (
    "use only names, integers, + - * / // % **, parentheses, comparisons, and, or, not, "
    f"A if C else B, and the functions {', '.join(FUNCTIONS)}"
)


def _binary(kind: type[ast.operator], left: float, right: float) -> float:
    if kind is ast.Pow and not 0 <= right <= MAX_EXPONENT:
        raise BadExpression(f"an exponent must lie in 0 .. {MAX_EXPONENT}")
    if kind is ast.Pow and left < 0 and right != int(right):
        raise BadExpression("a root of a negative number is no integer")
    value = _BINARY[kind](left, right)
    if abs(value) > MAX_MAGNITUDE:
        raise BadExpression("the value does not fit in 63 bits")
    return value
