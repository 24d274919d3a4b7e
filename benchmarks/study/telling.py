"""What a file of runs says, as Markdown: for a terminal, and for a page with a place for it.

    runs -> section -> the page, between `<!-- study: NAME -->` and `<!-- end: NAME -->`

Start at `section`. Not here: the tables (`contrasts`), the plots (`plots`).
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.study.contrasts import answers_table, asked, cells_table
from benchmarks.study.running import Kept


class NoPlace(ValueError):
    """The page has no place for a section of this name."""


def section(name: str, kept: Sequence[Kept], plots: Sequence[str] = ()) -> str:
    """Everything that these runs say; `plots`: where they lie, as the page names them."""
    runs = [one.run for one in kept]
    sources = ", ".join(sorted({one.source for one in kept}))
    seeds = len({run.seed for run in runs})
    budgets = ", ".join(str(budget) for budget in sorted({run.budget for run in runs}))
    cells = len({run.cell for run in runs})
    lines = [
        f"{name}: {len(runs):,} runs on {sources}: {cells} cells, {seeds} seeds each, "
        f"{budgets} candidates a run.",
        "",
        *answers_table(asked(runs)),
        "",
        *(f"![{Path(plot).stem}]({plot})" for plot in plots),
        "",
        "<details><summary>Every cell</summary>",
        "",
        *cells_table(runs),
        "",
        "</details>",
    ]
    return "\n".join(lines)


def put(page: str, name: str, text: str) -> str:
    """The page with this text in the place of that name.

    Raises:
        NoPlace: it has none.
    """
    begin, end = f"<!-- study: {name} -->\n", f"<!-- end: {name} -->\n"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise NoPlace(f"the page has no {begin.strip()} with its {end.strip()}")
    return f"{before}{begin}\n{text}\n\n{end}{after}"
