"""Read a program from where it begins, calls in place, and note what it does.

    Program -> Notes

It is a reading, not a run: values are unknown, both ends of a branch are read, calls are followed
as often as a budget allows. What nobody calls is never seen, and neither is a branch whose
condition is a constant that fails.

Start at `read`. Not here: loops (`looping`), calls (`calling`), expressions (`evaluating`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coordinator.distance import vocabulary
from coordinator.distance.declarations import declared, parsed
from coordinator.distance.declaring import THREADS, Declaring
from coordinator.distance.evaluating import MAX_INSIDE, SIZE
from coordinator.distance.given import Closure, Given
from coordinator.distance.heads import parameters
from coordinator.distance.notes import Notes
from coordinator.distance.program import Program
from coordinator.distance.syntax import Expression
from coordinator.distance.tree import Node
from coordinator.distance.values import UNKNOWN, Cell, Known, Memory, Place, all_of

MAX_STATEMENTS = 12_000
MAX_BRANCHES = 6
"""Branches that are told apart."""
_LABELS = (("case",), ("default",), ("public",), ("private",), ("protected",))


def read(program: Program) -> Notes:
    """All that a program does."""
    reader = Reader(program)
    reader.read_all()
    return reader.notes


class Reader(Declaring):
    """One reading of one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._visits = 0
        self._branches = 0
        self._taken: int | None = None
        self._special = False
        self._launching = 0

    def read_all(self) -> None:
        """From every entry."""
        self.host = self.program.python and self.program.plan is None
        for node in self.program.outside:
            self.visit_all((node,))
        self.globals, self.scope = self.scope, {}
        if self.program.plan is not None:
            self._planned()
            return
        for node in self.program.begins():
            self.host = self.program.python
            values = tuple(self._from_outside(node))
            self._run(node, Given((), values), {}, None)

    def _from_outside(self, node: Node) -> list[Known]:
        tensors = "Tensor" in " ".join(node.head)
        found = []
        for one in parameters(node.head):
            pointer = one.pointer or self.program.python or (tensors and one.refers)
            found.append(
                self._outer(one.name)
                if pointer or (tensors and "torch" in " ".join(node.head))
                else SIZE
            )
        return found

    def _outer(self, name: str, place: Place = "global") -> Known:
        return Known(memory=Memory(value=UNKNOWN, place=place, name=name))

    def _planned(self) -> None:
        plan = self.program.plan
        assert plan is not None
        tensors: dict[str, Known] = {}
        if plan.tensor_maps:
            self.mark("descriptor")
        for name in plan.workspaces:
            tensors[name] = self._outer(name, "workspace")
        for launch in plan.kernels:
            if launch.cooperative:
                self.mark("cooperative")
            if launch.cluster is not None:
                self.mark("cluster")
            values = []
            for argument in launch.arguments:
                if ":" in argument:
                    values.append(SIZE)
                    continue
                held = (
                    plan.tensor_maps[argument].tensor if argument in plan.tensor_maps else argument
                )
                values.append(tensors.setdefault(held, self._outer(held)))
            within = self.branches
            self.branches = self._in_branch() if launch.when != "1" else within
            constants = launch.triton.constants if launch.triton is not None else {}
            self.launch(launch.kernel, self._plan_given(launch.kernel, values, constants))
            self.branches = within

    def _plan_given(self, name: str, values: list[Known], constants: object) -> Given:
        names = constants if isinstance(constants, dict) else {}
        nodes = self.program.functions.get(name, [])
        known = [p.name for p in parameters(nodes[0].head)] if nodes else []
        free = [one for one in known if one not in names]
        if len(free) < len(known):
            return Given((), (), dict(zip(free, values, strict=False)))
        return Given((), tuple(values))

    def launch(self, name: str, given: Given) -> None:
        """A kernel: it has no loops around it, whoever launches it."""
        name = name.rpartition(".")[2]
        if name not in self.program.functions or self._launching > 4:
            return
        outside = self.loops, self.host, self.device, self.guards
        self.loops, self.host, self.device, self.guards = [], False, True, []
        before = set(self.notes.places)
        self._touched = False
        self._launching += 1
        self.kernel += 1
        self.run_function(name, Given((), given.values, given.named))
        self._launching -= 1
        self.loops, self.host, self.device, self.guards = outside
        if self._touched:
            self.made += 1
            self.note("launch", f"{self.made}")
        else:
            self.notes.places = {n: p for n, p in self.notes.places.items() if n in before}

    _touched = False

    def load(self, memory: Memory, where: Known) -> Known:
        """As in `Gathering`; a kernel that reads nothing only clears what others fill."""
        self._touched = True
        return super().load(memory, where)

    # --- statements ---------------------------------------------------------------------------

    def visit_all(self, nodes: Sequence[Node]) -> None:
        """Statements in order."""
        self.inside += 1
        for node in nodes:
            self._visits += 1
            if self._visits > MAX_STATEMENTS or self.steps < 0 or self.inside > MAX_INSIDE:
                break
            self._visit(node)
        self.inside -= 1

    def _visit(self, node: Node) -> None:
        if node.kind == "plain":
            self._plain(node)
        elif node.kind == "branch":
            self._branch(node)
        elif node.kind == "loop":
            self.loop(node)
        elif node.kind == "function":
            self.closures[node.name] = Closure(node, self.scope)
        elif node.kind == "struct":
            self.program.structures.setdefault(node.name, node)
        else:
            self.visit_all(node.body)

    def _plain(self, node: Node) -> None:
        words = node.head
        first = words[0] if words else ""
        for inner in node.body:
            if inner.kind == "function":
                self.visit_all((inner,))
        if first.startswith("#"):
            self._pragma(first)
        elif first == "return":
            self._return(parsed(tuple(words[1:]), self.program.python))
        elif first in ("asm", "__asm__", "asm volatile"):
            self._assembly(words)
        elif first not in ("@", "import", "from", "using", "typedef", "pass", "template"):
            self.statement(words)
        elif first == "@" and "compile" in " ".join(words):
            self.note("operator", "compile")
        self.visit_all([inner for inner in node.body if inner.kind != "function"])

    def _pragma(self, text: str) -> None:
        if "omp parallel" in text:
            self.mark("threads")
            if "reduction" in text:
                self.mark("threads share a sum")

    def _return(self, given: Sequence[Expression]) -> None:
        if self.giving_reference:
            self.returned += [self.address(one) for one in given]
        else:
            self.returned.append(_whole(self, given))

    def statement(self, words: Sequence[str]) -> None:
        """A plain statement."""
        words = tuple(words)
        if words[:3] == ("(", "void", ")"):
            return
        if THREADS.intersection(words):
            self.mark("threads")
        if words[:1] in _LABELS and ":" in words:
            words = words[words.index(":") + 1 :]
        if self.program.python:
            self._python_statement(words)
        else:
            self._braced_statement(words)

    def _python_statement(self, words: tuple[str, ...]) -> None:
        if len(words) > 2 and words[1] == ":" and "=" in words:
            # Without the annotation.
            words = (words[0], *words[words.index("=") :])
        for one in parsed(words, python=True):
            self.value(one)

    def _braced_statement(self, words: tuple[str, ...]) -> None:
        if words[:1] == ("enum",) and "{" in words:
            words = words[words.index("{") + 1 :]
        found = declared(words)
        if found is not None:
            for one in found.names:
                self.declare(found, one)
            return
        for one in parsed(words, python=False):
            named = one.kind == "assign" and one.parts[0].kind == "name"
            if named and self.cell_of(one.parts[0].text) is None:
                self.scope[one.parts[0].text] = Cell(value=UNKNOWN, home=self.depth)
            self.value(one)

    def _assembly(self, words: Sequence[str]) -> None:
        kinds = {vocabulary.in_assembly(word[1:]) for word in words if word[:1] == '"'}
        names = [
            Expression("name", w) for w in words if w[:1].isalpha() and self.cell_of(w) is not None
        ]
        value = all_of(self.value(name) for name in names)
        for kind in sorted(kinds - {"", "function", "load", "store", "fragment"}):
            self.mark({"mma": "tensor cores"}.get(kind, kind))
        if kinds & {"async", "bulk"} and self._copied([self.value(name) for name in names]):
            return
        if "mma" in kinds:
            value = self.operator("product", (value,))
        for name in names[:8]:
            cell = self.target(name)
            if cell is not None and cell.value.memory is None and cell.value.cell is None:
                cell.value = replace(value, memory=None, through={})
            elif cell is not None and cell.value.memory is not None:
                self.store(cell.value.memory, cell.value, replace(value, memory=None))

    def _copied(self, values: Sequence[Known]) -> bool:
        """Whether a copy into shared memory is among what assembly is given; it is made."""
        places = {v.memory.place: (v.memory, v) for v in values if v.memory is not None}
        if not places.keys() >= {"shared", "global"}:
            return False
        to, pointer = places["shared"]
        self.store(to, pointer, self.load(*places["global"]))
        return True

    # --- branches -----------------------------------------------------------------------------

    def _branch(self, node: Node) -> None:
        words = node.head
        if words[:1] in (("else",), ("elif",)) and self._taken:
            return
        condition = (
            words[1:] if words[:1] in (("if",), ("elif",), ("else",), ("except",)) else words
        )
        asked = _whole(self, parsed(tuple(condition), self.program.python))
        self._taken = asked.number if condition else None
        if condition and (asked.number == 0 or condition in (("false",), ("False",))):
            return
        if words[:1] != ("else",) or condition:
            # What sizes decide is a special case; what a thread's place decides is a guard.
            self._special = not asked.data and asked.origins <= {"size", "grid"}
        within, special = self.branches, self._special
        self.branches = self._in_branch() if special else within
        self.guards.append(asked)
        self.visit_all(node.body)
        self.guards.pop()
        self.branches, self._special = within, special
        self._taken = asked.number if condition else None

    def _in_branch(self) -> frozenset[int]:
        self._branches += 1
        few = self._branches <= MAX_BRANCHES
        return self.branches | {self._branches} if few else self.branches


def _whole(reader: Reader, expressions: Sequence[Expression]) -> Known:
    values = tuple(reader.value(one) for one in expressions)
    return values[0] if len(values) == 1 else replace(all_of(values), items=values)
