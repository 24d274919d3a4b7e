"""Which cells are played, and on what.

Start at `GRIDS` and `LANDSCAPES`. Not here: how a cell is played (`trial`).
"""

from collections.abc import Callable, Sequence
from itertools import product

from benchmarks.study import templates
from benchmarks.study.evaluator import Evaluator, Simulated
from benchmarks.study.landscape import Landscape, Parameters, space_of
from benchmarks.study.recorded import recorded
from benchmarks.study.road import invented
from benchmarks.study.trial import Cell
from coordinator.catalogue import Catalogue
from guard.domain.decision import Retention

LANDSCAPES = {
    "wide": Parameters(),
    "narrow": Parameters(lanes=4, ideas=3, options=2, dead_ideas=0.25, dead_tunings=0.2, bonds=0.3),
    "crowded": Parameters(ideas=9),
}
"""wide: more designs than anybody could try. narrow: so few that repeats matter, with many dead
ends. crowded: as wide, with 64 strategies, for large teams."""
SHARED = (Retention.BOUNDED, Retention.UNBOUNDED)
BOTH = (False, True)


def full() -> tuple[Cell, ...]:
    """Every combination of the study's four factors."""
    return tuple(
        Cell(agents=agents, memory=memory, assigned=assigned, forced=forced)
        for agents, memory, assigned, forced in product((1, 2, 4, 8), Retention, BOTH, BOTH)
    )


def hidden() -> tuple[Cell, ...]:
    """Teams whose agents do not see the champion, so that memory alone connects them."""
    memories = (Retention.PRIVATE, *SHARED)
    return tuple(
        Cell(agents=agents, memory=memory, assigned=assigned, forced=True, shows_champion=False)
        for agents, memory, assigned in product((2, 4, 8), memories, BOTH)
    )


def crowds() -> tuple[Cell, ...]:
    """Large teams beside small ones."""
    memories = (Retention.PRIVATE, *SHARED)
    return tuple(
        Cell(agents=agents, memory=memory, assigned=assigned, forced=True)
        for agents, memory, assigned in product((1, 8, 100, 1000), memories, BOTH)
    )


GRIDS: dict[str, Callable[[], Sequence[Cell]]] = {
    "full": full,
    "hidden": hidden,
    "crowds": crowds,
}


def opened(source: str, seed: int) -> tuple[Evaluator, Catalogue]:
    """What a run is played on; a landscape is drawn anew for each seed."""
    if source in LANDSCAPES:
        parameters = LANDSCAPES[source]
        angles = space_of(parameters).angles
        catalogue = invented(tuple((angle.strategy, angle.lane) for angle in angles))
        return Simulated(Landscape(parameters, seed)), catalogue
    pool = templates.read(source)
    return recorded(source, templates.judged_file(source)), pool.catalogue
