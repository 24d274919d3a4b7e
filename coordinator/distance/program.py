"""A solution as a program: its functions by name, its constants, and where it begins.

    Solution -> Program

Start at `read_program`. Not here: what it does (`reading`).
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from coordinator.distance.layout import Line, indented, lines
from coordinator.distance.preprocess import arguments, preprocessed
from coordinator.distance.tree import Node, braced
from coordinator.source_names import import_names
from coordinator.source_tokens import PYTHON, tokens_of
from guard.domain.expression import BadExpression, evaluate
from guard.domain.solution import KernelLaunch, Solution

MAX_FORMULA = 60
"""Words of an expression whose value is worked out."""
WHEN = "sometimes"
"""Told of a kernel that is launched for some shapes alone."""
_TRITON = "triton.language."
_INTEGERS = ("int", "unsigned", "bool", "size_t", "int64_t", "int32_t", "auto", "long", "uint32_t")
_SPELLED = {"& &": "and", "| |": "or", "true": "1", "false": "0", "True": "1", "False": "0"}
_COMPARED = {"< =": "<=", "> =": ">=", "= =": "==", "! =": "!=", "/ /": "//", "* *": "**"}


@dataclass
class Program:
    """What is read of the sources of one solution."""

    python: bool
    functions: dict[str, list[Node]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    """Names whose value is a constant that is not known."""
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What names stand for that are defined outside functions."""
    roots: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Names that are called from outside, and what their launches say."""
    planned: bool = False
    """Whether kernels are launched by a plan, without host code."""

    def value(self, words: Sequence[str]) -> int | None:
        """The number that an expression gives, if it is a constant."""
        if len(words) > MAX_FORMULA:
            return None
        text = " ".join(word.rstrip("fFuUlL") if word[:1].isdigit() else word for word in words)
        for known in (_SPELLED, _COMPARED):
            for written, meant in known.items():
                text = text.replace(written, meant)
        try:
            return evaluate(text.replace("!", "not "), self.constants)
        except BadExpression:
            return None

    def constant(self, words: Iterable[str]) -> bool:
        """Whether all names in an expression are constants."""
        names = [word for word in words if word[:1].isalpha() or word[:1] == "_"]
        return all(name in self.constants or name in self.fixed for name in names)


def read_program(solution: Solution, *, prefer_first: bool) -> Program:
    """All files of a solution; `prefer_first`: see `preprocess`."""
    python = solution.sources[0].path.endswith(PYTHON)
    program = Program(python, planned=solution.launch_plan is not None)
    for source in solution.sources:
        tokens = tokens_of(source.content, source.path.endswith(PYTHON))
        if source.path.endswith(PYTHON):
            known = import_names(source.content)
            nodes = indented([_resolved(line, known) for line in lines(tokens)])
        else:
            nodes = braced(preprocessed(tokens, prefer_first=prefer_first))
        _index(nodes, program)
        if not program.functions:
            # A text without functions is read as one, rather than as nothing at all.
            program.functions[""] = [Node("function", (), nodes)]
    program.roots = _roots(solution, program)
    return program


def _resolved(line: Line, known: Mapping[str, str]) -> Line:
    """The line with what imports brought by its whole name, the language of Triton as ``tl``."""
    words = []
    for word in line.words:
        first, dot, rest = word.partition(".")
        whole = f"{known.get(first, first)}{dot}{rest}"
        words.append(whole.replace(_TRITON, "tl.", 1) if whole.startswith(_TRITON) else whole)
    return Line(line.column, tuple(words))


def _index(nodes: Iterable[Node], program: Program) -> None:
    for node in nodes:
        if node.kind == "function":
            program.functions.setdefault(node.name, []).append(node)
            note_template(node.head, program)
        elif node.kind == "plain":
            note_constants(node.head, program)
        else:
            _index(node.body, program)


def note_template(head: Sequence[str], program: Program) -> None:
    """Whole numbers that a template takes are constants."""
    if head[:1] != ("template",):
        return
    for before, name in itertools.pairwise(head):
        if name == ">":
            break
        if before in _INTEGERS:
            program.fixed.add(name)


def note_constants(words: Sequence[str], program: Program) -> None:
    """What a statement outside functions defines, enumerations included."""
    if words[:1] == ("enum",) and "{" in words:
        words = words[words.index("{") + 1 :]
    pieces, _ = arguments(["(", *words, ")"], 0)
    for piece in pieces:
        if "=" not in piece[1:]:
            continue
        at = piece.index("=", 1)
        name, given = piece[at - 1], piece[at + 1 :]
        if given[-1:] == ["}"] and "{" not in given:
            given = given[:-1]
        value = program.value(given)
        if value is not None:
            program.constants[name] = value
        else:
            program.aliases[name] = tuple(given)


def _roots(solution: Solution, program: Program) -> list[tuple[str, tuple[str, ...]]]:
    plan = solution.launch_plan
    if plan is not None:
        whole = ("tensor map",) * bool(plan.tensor_maps) + ("workspace",) * bool(plan.workspaces)
        launched = [(one.kernel, (*whole, *_told(one))) for one in plan.kernels]
        roots = [root for root in launched if root[0] in program.functions]
    else:
        wanted = (solution.entry_point, "prepare")
        known = (program.functions, program.aliases)
        roots = [(name, ()) for name in wanted if any(name in names for names in known)]
    return roots or [(name, ()) for name in program.functions]


def _told(launch: KernelLaunch) -> tuple[str, ...]:
    return (
        ("cooperative",) * launch.cooperative
        + ("cluster",) * (launch.cluster is not None)
        + (WHEN,) * (launch.when != "1")
    )
