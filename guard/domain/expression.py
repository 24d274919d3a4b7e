"""Integer expressions over axes, as problem definitions and launch plans write them.

Only names, integer literals, ``+ - * / // % **``, parentheses and unary signs; never `eval`.

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
}


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
    for node in nodes:
        if not _is_allowed(node):
            raise BadExpression(f"{expression!r}: {_FORBIDDEN}")
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


_FORBIDDEN = "use only names, integers, + - * / // % ** and parentheses"


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return isinstance(node, (ast.Name, ast.UnaryOp, ast.BinOp, ast.expr_context)) or (
        type(node) in _BINARY or type(node) in _UNARY
    )


def _value(node: ast.expr, names: Mapping[str, int]) -> float:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise BadExpression(f"unknown name {node.id!r}; known: {', '.join(names)}")
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _binary(type(node.op), _value(node.left, names), _value(node.right, names))
    raise BadExpression(
        f"{ast.unparse(node)!r} is not allowed; use names, integers, + - * / // % **"
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
