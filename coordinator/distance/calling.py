"""Calls: functions of the program are read in place, others say by their name what they do.

Start at `Calling.call`. Not here: single built-in functions (`builtins`), statements (`reading`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from coordinator.distance.builtin import Builtins
from coordinator.distance.declarations import parsed
from coordinator.distance.given import Closure, Given
from coordinator.distance.heads import Parameter, parameters, refers, types_of
from coordinator.distance.program import Program
from coordinator.distance.syntax import Expression, is_name
from coordinator.distance.tree import Node
from coordinator.distance.values import UNKNOWN, Cell, Known, all_of
from coordinator.distance.vocabulary import kind_of

MAX_OVERLOADS = 8
"""Functions of one name that are told apart by what owns them."""
MAX_ROUNDS = 4
"""Calls of one function inside each other, each by a lambda that the last was given."""
MAX_CALLS = 24
"""Calls inside each other."""


class Calling(Builtins, ABC):
    """The part of a reading that follows calls."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.returned: list[Known] = []
        self._calling: list[int] = []
        self.closures: dict[str, Closure] = {}
        self.refers = False
        """Whether what was called last gave a reference."""
        self.giving_reference = False
        self.types: dict[str, Cell] = {}
        """What the template that is called next was given."""
        """Whether the function that is read gives one."""

    @abstractmethod
    def visit_all(self, nodes: Sequence[Node]) -> None:
        """Statements in order."""

    @abstractmethod
    def launch(self, name: str, given: Given) -> None:
        """The launch of a kernel of the program."""

    @abstractmethod
    def new_object(self, kind: str, given: Given | None) -> Known:
        """An object of a structure of the program."""

    def known_function(self, name: str) -> bool:
        """Whether the program has a function of this name."""
        return name in self.closures or name.rpartition(".")[2] in self.program.functions

    # --- calls --------------------------------------------------------------------------------

    def call(self, expression: Expression) -> Known:
        """A call."""
        callee, *given = expression.parts
        if callee.kind == "index" and callee.parts and self.host:
            name = self._function_named(callee.parts[0])
            if self.known_function(name):
                self.launch(name, self._given(given))
                return UNKNOWN
        if callee.kind == "member":
            return self._method(callee, given)
        if callee.kind == "name" and callee.parts:
            return self._of_template(callee, given, expression)
        if callee.kind != "name":
            base = self.value(callee)
            if base.cell is not None:
                return self._on_object(base.cell, "operator(", given)
            return base.joined(self._given_all(given)).plain()
        return self._by_name(callee.text, given, expression)

    def _of_template(
        self, callee: Expression, given: Sequence[Expression], whole: Expression
    ) -> Known:
        """A call of a template, with the types that it is given."""
        self.types = self._types_for(callee)
        return self._by_name(callee.text, given, whole)

    def _types_for(self, callee: Expression) -> dict[str, Cell]:
        """What stands for the types of the template that is called."""
        short = callee.text.rpartition(".")[2]
        nodes = self.program.functions.get(short, ())[:1]
        if short in self.program.structures:
            nodes = [self.program.structures[short]]
        return self.typed(nodes[0], callee.parts) if nodes and callee.kind == "name" else {}

    def typed(self, node: Node, given: Sequence[Expression]) -> dict[str, Cell]:
        """What stands for the types of a template."""
        named = zip(types_of(node.head), given, strict=False)
        return {name: Cell(value=self.value(one), home=self.depth) for name, one in named}

    def _call(self, expression: Expression) -> Known:
        self.refers = False
        found = self.call(expression)
        refers, self.refers = self.refers, False
        return self.pointed_at(found) if refers else found

    def _launch(self, expression: Expression) -> Known:
        callee, *given = expression.parts
        self.types = self._types_for(callee)
        self.launch(self._function_named(callee), self._given(given))
        return UNKNOWN

    def _function_named(self, expression: Expression) -> str:
        if expression.kind != "name":
            return ""
        return self.named(expression.text).function or expression.text

    def _by_name(self, name: str, given: Sequence[Expression], whole: Expression) -> Known:
        first, _, method = name.rpartition(".")
        holder = self.cell_of(first) if first else None
        if holder is not None:
            return self._on_value(first, self.read(holder), method, given)
        cell = self.cell_of(name)
        if cell is not None:
            value = self.read(cell)
            if value.cell is not None and value.cell.type:
                return self._on_object(value.cell, "operator(", given)
            name = value.function or name
        short = name.rpartition(".")[2]
        closure = self.closures.get(name) or self.closures.get(short)
        if closure is not None:
            return self._run(closure.node, self._given(given), dict(closure.scope), self.object)
        if short in self.program.structures:
            return self.new_object(short, self._given(given))
        if short in self.program.functions and not name.startswith(("tl.", "torch.", "std.")):
            return self.run_function(short, self._given(given), first.rpartition(".")[2])
        return self.built_in(name, given, whole)

    def _method(self, callee: Expression, given: Sequence[Expression]) -> Known:
        inner = callee.parts[0]
        return self._on_value(inner, self.value(inner), callee.text, given)

    def _on_value(
        self, target: Expression | str, base: Known, method: str, given: Sequence[Expression]
    ) -> Known:
        expression = Expression("name", target) if isinstance(target, str) else target
        last = method.rpartition(".")[2]
        if base.cell is not None and base.cell.type and last in self.program.functions:
            return self._on_object(base.cell, last, given)
        if (
            last in self.program.functions
            and base.memory is None
            and not base.data
            and not self.host
        ):
            if isinstance(target, Expression) and target.parts and base.function:
                node = self.program.structures.get(base.function)
                self.types = self.typed(node, target.parts) if node is not None else {}
            return self.run_function(last, self._given(given), base.function)
        if base.function and not base.data and base.memory is None:
            name = f"{base.function}.{last}"
            if self.cell_of(base.function.partition(".")[0]) is not None:
                return self.built_in(name, given, expression)
            return self._by_name(name, given, expression)
        return self.method(expression, base, last, given)

    def _on_object(self, target: Cell, method: str, given: Sequence[Expression]) -> Known:
        if self.program.python and method == "operator(":
            method = "__call__" if "__call__" in self.program.functions else "forward"
        nodes = self._overloads(method, len(given))
        own = [node for node in nodes if self.program.methods.get(id(node)) == target.type]
        for node in own or nodes:
            return self._run(node, self._given(given), {}, target)
        return self._given_all(given)

    def _overloads(self, name: str, count: int) -> list[Node]:
        found = self.program.functions.get(name, [])
        exact = [node for node in found if len(_without_self(parameters(node.head))) == count]
        return (exact or found)[:MAX_OVERLOADS]

    def run_function(self, name: str, given: Given, owned: str = "") -> Known:
        """A function of the program, read in place; `owned`: the structure it belongs to."""
        found = UNKNOWN
        nodes = self._overloads(name, len(given.values) + len(given.named))
        own = [node for node in nodes if owned and self.program.methods.get(id(node)) == owned]
        types, self.types = self.types, {}
        for at, node in enumerate((own or nodes)[:2]):
            owner = self.object if id(node) in self.program.methods else None
            one = self._run(node, given, types, owner)
            found = found.joined(one) if at else one
        return found

    def takes_the_larger(self, name: str) -> bool:
        """Whether a function of the program, or a library's object, gives the larger of two."""
        short = name.rpartition(".")[2]
        if short in ("greater", "less", "Max", "Min", "maximum", "minimum", "max", "min"):
            return True
        for node in self.program.functions.get(short, ())[:1]:
            words = {word for inner in node.body for word in inner.head}
            kinds = {kind_of(word) for word in words if is_name(word)}
            return bool(kinds & {"larger"} or words & {"<", ">"})
        return False

    def run_named(self, name: str, values: Sequence[Known]) -> Known:
        """A function of the program, given values."""
        closure = self.closures.get(name)
        given = Given((), tuple(values))
        if closure is None:
            return self.run_function(name.rpartition(".")[2], given)
        return self._run(closure.node, given, dict(closure.scope), self.object)

    # --- what is given ------------------------------------------------------------------------

    def _given(self, expressions: Sequence[Expression]) -> Given:
        named = {one.text: self.value(one.parts[0]) for one in expressions if one.kind == "keyword"}
        plain = tuple(one for one in expressions if one.kind != "keyword")
        return Given(plain, tuple(self.value(one) for one in plain), named)

    def _given_all(self, expressions: Sequence[Expression]) -> Known:
        return all_of(self._given(expressions).values)

    def _run(self, node: Node, given: Given, scope: dict[str, Cell], target: Cell | None) -> Known:
        if self._goes_round(node) or len(self._calling) > MAX_CALLS:
            return all_of(given.values).plain()
        outside = self.scope, self.returned, self.object
        bound = self._bound(node, given)
        giving, self.giving_reference = self.giving_reference, refers(node.head)
        self._calling.append(id(node))
        self.scope, self.returned, self.object = {**scope, **bound}, [], target
        if target is not None and self.program.python:
            self.scope["self"] = Cell(value=Known(cell=target), home=self.depth)
        self._initialised(node)
        self.visit_all(node.body)
        found = self.returned[0] if len(self.returned) == 1 else all_of(self.returned)
        found = self._as_object(node, found)
        self._calling.pop()
        self.refers, self.giving_reference = self.giving_reference, giving
        self.scope, self.returned, self.object = outside
        return found

    def _goes_round(self, node: Node) -> bool:
        """Whether a function calls itself; it may, where a lambda that it was given does so."""
        if id(node) not in self._calling:
            return False
        since = self._calling[len(self._calling) - self._calling[::-1].index(id(node)) :]
        lambdas = {id(closure.node) for closure in self.closures.values()}
        return not lambdas.intersection(since) or self._calling.count(id(node)) >= MAX_ROUNDS

    def _as_object(self, node: Node, found: Known) -> Known:
        """A list that is returned as a structure."""
        kinds = [word for word in node.head if word in self.program.structures]
        if not found.items or not kinds or found.cell is not None or self.program.python:
            return found
        return self.new_object(kinds[0], Given((), found.items))

    def _bound(self, node: Node, given: Given) -> dict[str, Cell]:
        bound: dict[str, Cell] = {}
        names = _without_self(parameters(node.head))
        for at, one in enumerate(names):
            target = None
            if at < len(given.values):
                value = given.values[at]
                if one.refers and at < len(given.expressions):
                    target = self.target(given.expressions[at])
            elif one.name in given.named:
                value = given.named[one.name]
            else:
                value = all_of(self.value(e) for e in parsed(one.default, self.program.python))
            bound[one.name] = target if target is not None else Cell(value=value, home=self.depth)
        return bound

    def _initialised(self, node: Node) -> None:
        """What a constructor sets before its body."""
        head = list(node.head)
        closed = head.index(")") if ")" in head else len(head)
        if self.object is None or ":" not in head[closed:]:
            return
        for one in parsed(tuple(head[head.index(":", closed) + 1 :]), python=False):
            if one.kind == "call" and one.parts[0].kind == "name":
                values = [self.value(part) for part in one.parts[1:]]
                cell = self.object.fields.get(one.parts[0].text)
                given = all_of(values) if len(values) != 1 else values[0]
                if cell is not None and (cell.value.memory is None or given.memory is not None):
                    cell.value = given


def _without_self(names: Sequence[Parameter]) -> Sequence[Parameter]:
    return names[1:] if names and names[0].name == "self" else names
