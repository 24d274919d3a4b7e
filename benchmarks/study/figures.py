"""What runs come to: geometric means, ratios, and their bootstrap intervals.

Pure functions. The independent unit is the seed: all cells of a seed share a landscape, so ratios
are taken seed by seed, averaged over the cells of a contrast, and seeds are drawn again.

    runs -> contrast -> one log-ratio per seed -> Estimate

Start at `ratio`. Not here: which contrasts are told (`contrasts`), tables and plots.
"""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from benchmarks.study.trial import Cell, Run
from guard.domain.value import Value

DRAWS = 4000
"""Bootstrap samples."""
LEVEL = 0.95


class Estimate(Value):
    """A mean with its bootstrap interval."""

    value: float
    low: float
    high: float
    seeds: int

    def factor(self) -> "Estimate":
        """The same of logarithms as factors."""
        figures = {name: math.exp(getattr(self, name)) for name in ("value", "low", "high")}
        return Estimate(**figures, seeds=self.seeds)

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    @property
    def excludes_one(self) -> bool:
        """Whether a factor's interval lies on one side of one."""
        return self.low > 1 or self.high < 1


Key = Callable[[Cell], object]
Figure = Callable[[Run], float]


def reached(run: Run) -> float:
    """The true log-speedup at the end."""
    return run.reached


def estimate(values: Sequence[float], seed: int = 1) -> Estimate:
    """The mean with its percentile interval."""
    rng = random.Random(seed)
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(DRAWS))
    tail = (1 - LEVEL) / 2
    low, high = (means[min(DRAWS - 1, int(DRAWS * share))] for share in (tail, 1 - tail))
    return Estimate(value=fmean(values), low=low, high=high, seeds=len(values))


def mean(runs: Iterable[Run], figure: Figure = reached) -> Estimate:
    """A figure's mean over seeds; several cells of one seed are averaged first."""
    by_seed: dict[int, list[float]] = defaultdict(list)
    for run in runs:
        by_seed[run.seed].append(figure(run))
    return estimate([fmean(values) for _, values in sorted(by_seed.items())])


def difference(
    runs: Sequence[Run],
    one: Callable[[Cell], bool],
    other: Callable[[Cell], bool],
    figure: Figure = reached,
) -> Estimate:
    """The mean of the first kind of cells less that of the second, seed by seed."""
    sides: tuple[dict[int, list[float]], ...] = (defaultdict(list), defaultdict(list))
    for run in runs:
        for side, chosen in zip(sides, (one, other), strict=True):
            if chosen(run.cell):
                side[run.seed].append(figure(run))
    both = sorted(sides[0].keys() & sides[1].keys())
    return estimate([fmean(sides[0][seed]) - fmean(sides[1][seed]) for seed in both])


def ratio(
    runs: Sequence[Run], one: Callable[[Cell], bool], other: Callable[[Cell], bool]
) -> Estimate:
    """How many times as fast the first kind of cells ends as the second."""
    return difference(runs, one, other).factor()
