"""The questions of the study, each as a ratio of two kinds of cells, and the tables that answer.

    runs -> Answered: shared ÷ private memory, assigned ÷ free, forced ÷ not, teams ÷ one agent

Start at `asked`; `cells` is the table of every cell. Not here: the statistics (`figures`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.study.figures import Estimate, mean, ratio
from benchmarks.study.trial import Cell, Run
from guard.domain.decision import Retention
from guard.domain.value import Value

Chosen = Callable[[Cell], bool]
NONE, PRIVATE, BOUNDED, UNBOUNDED = Retention


class Question(NamedTuple):
    """One ratio."""

    name: str
    one: Chosen
    other: Chosen


class Answered(Value):
    """A question with what the runs say."""

    name: str
    ratio: Estimate


def memory(retention: Retention, agents: Sequence[int]) -> Chosen:
    """Cells of teams of these sizes with this memory."""
    return lambda c: c.memory is retention and c.agents in agents


def questions(sizes: Sequence[int]) -> list[Question]:
    """All of them, for teams of these sizes; the first size is the single agent."""
    teams = [size for size in sizes if size > 1]
    found = []
    for shared in (BOUNDED, UNBOUNDED, NONE):
        name = f"{shared.value} ÷ private memory"
        for some, who in _groups(teams, "all teams"):
            found.append(Question(f"{name}, {who}", memory(shared, some), memory(PRIVATE, some)))
    found += [_paper(BOUNDED), _paper(UNBOUNDED)]
    for some, who in _groups(sizes, "all"):
        found.append(Question(f"assigned ÷ free strategies, {who}", *_assigned(some)))
        found.append(Question(f"forced change ÷ none, {who}", *_forced(some)))
    for size in teams:
        found.append(Question(f"{size} agents ÷ one, unbounded memory", *_size(size)))
    return found


def asked(runs: Sequence[Run]) -> list[Answered]:
    """Every question that these runs can answer."""
    cells = {run.cell for run in runs}
    sizes = sorted({cell.agents for cell in cells})
    return [
        Answered(name=question.name, ratio=ratio(runs, question.one, question.other))
        for question in questions(sizes)
        if any(map(question.one, cells)) and any(map(question.other, cells))
    ]


def _groups(sizes: Sequence[int], whole: str) -> Iterator[tuple[Sequence[int], str]]:
    """All teams together, then each size alone."""
    yield sizes, whole
    for size in sizes:
        yield (size,), f"{size} agent{'s' * (size > 1)}"


def _paper(retention: Retention) -> Question:
    """The paper's own comparison, in which team and memory change together."""
    return Question(
        f"2 agents with {retention.value} memory ÷ one with its own",
        lambda c: c.agents == 2 and c.memory is retention,
        lambda c: c.agents == 1 and c.memory is PRIVATE,
    )


def _assigned(sizes: Sequence[int]) -> tuple[Chosen, Chosen]:
    return (
        lambda c: c.assigned and c.agents in sizes,
        lambda c: not c.assigned and c.agents in sizes,
    )


def _forced(sizes: Sequence[int]) -> tuple[Chosen, Chosen]:
    return (
        lambda c: c.forced and c.agents in sizes,
        lambda c: not c.forced and c.agents in sizes,
    )


def _size(size: int) -> tuple[Chosen, Chosen]:
    return (
        lambda c: c.agents == size and c.memory is UNBOUNDED,
        lambda c: c.agents == 1 and c.memory is UNBOUNDED,
    )


def answers_table(answers: Sequence[Answered]) -> list[str]:
    """The answers as Markdown."""
    rows = [
        f"| {a.name} | {a.ratio.value:.3f} | {a.ratio.low:.3f} to {a.ratio.high:.3f} "
        f"| {'yes' if a.ratio.excludes_one else 'no'} |"
        for a in answers
    ]
    return ["| ratio | estimate | 95 % interval | excludes 1 |", "|---|---|---|---|", *rows]


def cells_table(runs: Sequence[Run]) -> list[str]:
    """Every cell with its figures as Markdown."""
    head = (
        "| agents | memory | strategies | change | speedup (95 %) | of the optimum | repeated "
        "| failed | refused | arrived at | promotions: forced, learned |"
    )
    lines = [head, "|---" * 11 + "|"]
    for cell in sorted({run.cell for run in runs}, key=_order):
        lines.append(_row(cell, [run for run in runs if run.cell == cell]))
    return lines


def _row(cell: Cell, runs: Sequence[Run]) -> str:
    def part(figure: Callable[[Run], float]) -> float:
        return mean(runs, figure).value

    return (
        f"| {cell.agents} | {cell.memory.value} | {'assigned' if cell.assigned else 'free'} "
        f"| {'forced' if cell.forced else '–'} | {mean(runs).factor()} "
        f"| {part(lambda r: math.exp(r.reached - r.optimum)):.1%} "
        f"| {part(lambda r: 1 - r.distinct / r.budget):.1%} "
        f"| {part(lambda r: r.failed / r.budget):.1%} "
        f"| {part(lambda r: r.similar / r.budget):.1%} "
        f"| {part(lambda r: r.arrived / r.budget):.0%} "
        f"| {part(lambda r: r.promotions):.1f}: {part(lambda r: r.forced_promotions):.1f}, "
        f"{part(lambda r: r.learned_promotions):.1f} |"
    )


def _order(cell: Cell) -> tuple[int, int, bool, bool]:
    return (cell.agents, list(Retention).index(cell.memory), cell.assigned, cell.forced)
