"""Which variables statements move on, and how often a loop goes round.

Pure. Start at `changes`. Not here: the loops themselves (`looping`).
"""

from collections.abc import Iterator, Sequence

from coordinator.distance.declarations import parsed
from coordinator.distance.syntax import Expression
from coordinator.distance.tree import Node
from coordinator.distance.values import Known
from coordinator.distance.vocabulary import kind_of


def few_from(asked: Expression, started: Sequence[str]) -> int | None:
    """Of ``for (l = i; l < i + 4; …)``: the difference, where it is written so."""
    limit = asked.parts[1]
    if limit.kind != "binary" or limit.text != "+" or "=" not in started:
        return None
    first = parsed(tuple(started[list(started).index("=") + 1 :]), python=False)
    numbers = [part.text for part in limit.parts if part.kind == "number" and part.text.isdigit()]
    if first[:1] and first[0] in limit.parts and numbers:
        return int(numbers[0])
    return None


def counted(start: Known, stop: Known, step: Known) -> int | None:
    """How often a loop goes round, where that is known."""
    if start.number is None or stop.number is None:
        return None
    by = abs(step.number or 1) if step.number is not None else 1
    return max(0, -(-abs(stop.number - start.number) // max(1, by)))


def first_of(expressions: Sequence[Expression]) -> Expression:
    """The first of several expressions."""
    return expressions[0] if expressions else Expression("list")


def names_in(expressions: Sequence[Expression]) -> Iterator[str]:
    """All names in expressions."""
    pending = list(expressions)
    while pending:
        one = pending.pop()
        if one.kind == "name":
            yield one.text
        pending += one.parts


def changes(expressions: Sequence[Expression]) -> Iterator[tuple[str, Expression | None]]:
    """The variables that are moved on by something, and by what."""
    pending = list(expressions)
    while pending:
        one = pending.pop()
        target = one.parts[0] if one.parts else one
        if one.kind == "step" and target.kind == "name":
            yield target.text, Expression("number", "1")
        elif one.kind == "assign" and target.kind == "name" and len(one.parts) == 2:
            value = one.parts[1]
            if one.text in ("+=", "-="):
                yield target.text, value
            elif one.text in (">>=", "<<=", "/=", "*="):
                yield target.text, None
            elif one.text == "=" and _moves_on(value, target):
                first, second = value.parts
                yield target.text, second if first == target else first
        pending += one.parts


def changed_in(nodes: Sequence[Node], python: bool) -> Iterator[tuple[str, Expression | None]]:
    """The variables that statements move on, and by what."""
    pending = list(nodes)[::-1]
    for _ in range(2_000):
        if not pending:
            return
        node = pending.pop()
        if node.kind == "plain":
            yield from changes(parsed(node.head, python))
        elif node.kind == "loop" and not python:
            head = tuple(node.head)
            for at in [0, *(i + 1 for i, word in enumerate(head) if word == ";")]:
                end = head.index(";", at) if ";" in head[at:] else len(head)
                yield from changes(parsed(head[at:end], python))
        pending += node.body[::-1]


def assigned_in(nodes: Sequence[Node], python: bool) -> Iterator[str]:
    """The names that statements assign to."""
    pending = list(nodes)[::-1]
    for _ in range(2_000):
        if not pending:
            return
        node = pending.pop()
        if node.kind == "plain":
            for one in parsed(node.head, python):
                if one.kind == "assign" and one.parts:
                    yield from names_in(one.parts[:1])
        pending += node.body[::-1]


def _moves_on(value: Expression, target: Expression) -> bool:
    return value.kind == "binary" and value.text in ("+", "-") and target in value.parts


def as_addition(assignment: Expression) -> Expression:
    """``s = x + s`` and ``s = fma(x, y, s)`` as what they are: ``s += x``, ``s += x * y``."""
    target, right = assignment.parts
    if assignment.text != "=" or target.kind not in ("name", "member", "index"):
        return assignment
    if right.kind == "binary" and right.text == "+" and target in right.parts:
        first, second = right.parts
        return Expression("assign", "+=", (target, second if first == target else first))
    called = right.parts[0].text if right.kind == "call" else ""
    if len(right.parts) == 4 and right.parts[3] == target and kind_of(called) == "fma":
        return Expression("assign", "+=", (target, Expression("binary", "*", right.parts[1:3])))
    return assignment
