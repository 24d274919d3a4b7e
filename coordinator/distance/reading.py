"""Read a program from where it begins, calls in place, and note what each loop does.

    Program -> Region, Region…

It is a reading, not a run: values are unknown, both ends of a branch are read, calls are followed
as often as a budget allows. What nobody calls is never seen, and neither is a branch whose
condition is a constant that fails.

Start at `Reader.read`. Not here: loops (`loops`), expressions (`expressions`), what is
written (`assignments`).
"""

from collections.abc import Sequence

from coordinator.distance.assignments import SCRATCH, Assignments
from coordinator.distance.facts import NOTHING, Fact, is_name, names_in, pieces
from coordinator.distance.loops import fate
from coordinator.distance.program import WHEN, Program, note_constants
from coordinator.distance.regions import Region, mark_idle
from coordinator.distance.tree import Node, parameters

MAX_VISITS = 12_000
"""Statements of one program that are read, calls in place."""
MAX_CALLS = 24
"""Calls inside each other."""
MAX_BRANCHES = 4
"""Branches that are told apart."""


class Reader(Assignments):
    """One reading of one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._visits = 0
        self._branches = 0
        self._calling: list[int] = []
        self._launched: set[str] = set()
        self.called: dict[int, Node] = {}
        """Every function that is reached."""
        self._closures: dict[str, tuple[Node, dict[str, Fact]]] = {}
        self._returned: list[Fact] = []
        self._calls = 0

    @property
    def kernels(self) -> int:
        """How many kernels are launched."""
        planned = self._program.planned
        return len(self._launched) - (0 if planned else len(self._program.roots))

    def read(self) -> list[Region]:
        """All regions."""
        for name, told in self._program.roots:
            self._host = self._program.python and not self._program.planned
            within = self._conditions
            self._conditions = self._in_branch() if WHEN in told else within
            self.launch(name, [one for one in told if one != WHEN])
            self._conditions = within
        mark_idle(self.regions, self.uses)
        return self.regions

    # --- calls ----------------------------------------------------------------------------

    def launch(self, name: str, told: Sequence[str] = ()) -> None:
        """A kernel, or what is called from outside: a region of its own."""
        if name in self._launched:
            return
        self._launched.add(name)
        outside = self._stack, self._env, self._host
        self._stack, self._env = [], {}
        self._enter(0)
        for feature in told:
            self.emit(feature)
        alias = self._program.aliases.get(name)
        for node in self._program.functions.get(name, ()):
            self._run(node, self._from_outside(node), {})
        if alias is not None and name not in self._program.functions:
            self.expression(alias)
        self._stack, self._env, self._host = outside

    def call(self, name: str, given: Sequence[Sequence[str]]) -> Fact | None:
        """A call of a function of the program, read in place; None: it has none of this name."""
        short = name.rpartition(".")[2]
        if short in self._closures:
            node, env = self._closures[short]
            return self._run(node, [self._given(one) for one in given], env)
        found = self._program.functions.get(short, ())
        nodes = [n for n in found if len(parameters(n.head)) == len(given)] or list(found)
        if not nodes:
            return None
        facts = [self._given(one) for one in given]
        answer = NOTHING
        for node in nodes:
            answer = answer.joined(self._run(node, facts, {}))
        # What comes out depends on what went in, even where assembly hides how.
        for fact in facts:
            answer = answer.joined(Fact(deps=fact.deps, data=fact.data, origins=fact.origins))
        return answer

    def _from_outside(self, node: Node) -> list[Fact]:
        python = self._program.python
        return [
            Fact(place="global" if python or one.pointer else "") for one in parameters(node.head)
        ]

    def _given(self, words: Sequence[str]) -> Fact:
        fact = self.expression(words)
        alone = [word for word in words if word != "&"]
        if len(alone) == 1 and alone[0] in self._env:
            return fact.at(self._env[alone[0]].home)
        return fact.at(self._stack[-1] if self._stack else -1)

    def _run(self, node: Node, given: Sequence[Fact], env: dict[str, Fact]) -> Fact:
        if id(node) in self._calling or len(self._calling) > MAX_CALLS:
            return NOTHING
        self.called[id(node)] = node
        outside = self._env, self._returned
        self._calling.append(id(node))
        names = [one.name for one in parameters(node.head)]
        self._env = {**env, **dict(zip(names, given, strict=False))}
        self._returned = []
        self._calls += 1
        outer, self._frame = self._frame, self._calls
        self.visit_all(node.body)
        answer = NOTHING
        for fact in self._returned:
            answer = answer.joined(fact)
        self._env, self._returned = outside
        self._frame = outer
        self._calling.pop()
        return answer

    # --- statements -----------------------------------------------------------------------

    def visit_all(self, nodes: Sequence[Node]) -> None:
        """Statements in order."""
        for node in nodes:
            self._visits += 1
            if self._visits > MAX_VISITS:
                return
            self._visit(node)

    def _visit(self, node: Node) -> None:
        if node.kind == "plain":
            self._plain(node)
        elif node.kind == "branch":
            self._branch(node)
        elif node.kind == "loop":
            self._loop(node)
        elif node.kind == "function":
            self._closures[node.name] = (node, self._env)
        else:
            self.visit_all(node.body)

    def _plain(self, node: Node) -> None:
        words = node.head
        if words[:1] in (("#pragma",), ()) or words[0].startswith("#"):
            if words and "omp parallel" in words[0]:
                self.emit("threads")
        elif words[:3] == ("(", "void", ")"):
            pass
        elif words[0] == "return":
            self._returned.append(self.expression(words[1:]))
        elif "constexpr" in words:
            note_constants(words, self._program)
            self._assign_all(words)
        else:
            self._assign_all(words)
        self.visit_all(node.body)

    def _assign_all(self, words: Sequence[str]) -> None:
        if self._program.python:
            self.assign(list(words), declared=False)
            return
        declared = len(words) > 1 and is_name(words[0]) and (is_name(words[1]) or words[1] in "<*&")
        memory = "scratch" if any(word in SCRATCH for word in words) else ""
        for piece in pieces(words):
            self.assign(piece, declared, "shared" if "__shared__" in words else memory)

    def _branch(self, node: Node) -> None:
        value = self._program.value(_condition(node.head))
        if value == 0:
            return
        self.expression(node.head)
        self._guards.append(names_in(node.head))
        within, self._conditions = self._conditions, self._in_branch()
        self.visit_all(node.body)
        self._conditions = within
        self._guards.pop()

    def _in_branch(self) -> frozenset[int]:
        self._branches += 1
        few = self._branches <= MAX_BRANCHES
        return self._conditions | {self._branches} if few else self._conditions

    def _loop(self, node: Node) -> None:
        going = fate(node.head, self._program)
        if going.never:
            return
        self._assign_all(going.start)
        head = self.expression(going.head)
        over = self._env.get(going.over, NOTHING)
        if over.place == "local":
            self._env[going.variable] = over
        if going.unrolled or over.place == "local":
            self.visit_all(node.body)
            return
        self._enter(1, going.variable)
        if "grid" in head.origins:
            self.emit("walk")
        elif "thread" in head.origins:
            self.emit("by threads")
        if going.variable:
            self._env[going.variable] = head.at(self._stack[-1])
        self.visit_all(node.body)
        self._stack.pop()


def _condition(head: Sequence[str]) -> Sequence[str]:
    return head[1:] if head[:1] in (("if",), ("elif",), ("while",)) else head
