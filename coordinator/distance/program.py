"""A solution as a program: its functions and structures by name, and where it begins.

    Solution -> Program

Start at `read_program`. Not here: what it does (`reading`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from coordinator.distance.layout import Line, indented, lines
from coordinator.distance.preprocess import preprocessed
from coordinator.distance.tree import Node, braced
from coordinator.source_names import import_names
from coordinator.source_tokens import PYTHON, tokens_of
from guard.domain.solution import LaunchPlan, Solution

_TRITON = "triton.language."


@dataclass
class Program:
    """What is read of the sources of one solution."""

    python: bool
    functions: dict[str, list[Node]] = field(default_factory=dict)
    structures: dict[str, Node] = field(default_factory=dict)
    methods: dict[int, str] = field(default_factory=dict)
    """The functions, by identity, that belong to a structure, and to which."""
    outside: list[Node] = field(default_factory=list)
    """Statements outside functions, in order."""
    entries: tuple[str, ...] = ()
    """The names of the functions that are called from outside."""
    plan: LaunchPlan | None = None
    """How kernels are launched where no host code does it."""

    def begins(self) -> Iterator[Node]:
        """The functions that are called from outside; a method of the same name is none."""
        for name in self.entries:
            nodes = self.functions[name]
            yield from [node for node in nodes if id(node) not in self.methods][:2] or nodes[:2]


def read_program(solution: Solution, *, prefer_first: bool) -> Program:
    """All files of a solution; `prefer_first`: see `preprocess`."""
    python = solution.sources[0].path.endswith(PYTHON)
    program = Program(python, plan=solution.launch_plan)
    for source in solution.sources:
        tokens = tokens_of(source.content, source.path.endswith(PYTHON))
        if source.path.endswith(PYTHON):
            known = import_names(source.content)
            nodes = indented([_resolved(line, known) for line in lines(tokens)])
        else:
            nodes = braced(preprocessed(tokens, prefer_first=prefer_first))
        _index(nodes, program, within="")
        if not program.functions:
            # A text without functions is read as one, rather than as nothing at all.
            program.functions[""] = [Node("function", (), nodes)]
    wanted = [name for name in (solution.entry_point, "prepare") if name in program.functions]
    program.entries = tuple(wanted or program.functions)
    return program


def _resolved(line: Line, known: Mapping[str, str]) -> Line:
    """The line with what imports brought by its whole name, the language of Triton as ``tl``."""
    words = []
    for word in line.words:
        first, dot, rest = word.partition(".")
        whole = f"{known.get(first, first)}{dot}{rest}"
        words.append(whole.replace(_TRITON, "tl.", 1) if whole.startswith(_TRITON) else whole)
    return Line(line.column, tuple(words))


def _index(nodes: Iterable[Node], program: Program, *, within: str) -> None:
    for node in nodes:
        if node.kind == "function":
            program.functions.setdefault(node.name, []).append(node)
            if within:
                program.methods[id(node)] = within
        elif node.kind == "struct":
            program.structures.setdefault(node.name, node)
            _index(node.body, program, within=node.name)
        elif node.kind == "plain":
            if not within:
                program.outside.append(node)
        else:
            _index(node.body, program, within=within)
