"""Distributions in a few figures: every time that is printed is one of these, or a ratio.

Pure functions. Start at `spread`. Not here: what is measured, and the machine (`_machine`).
"""

from collections.abc import Sequence
from statistics import median, quantiles

from guard.domain.value import Value


class Spread(Value):
    """Some values of one kind, in the unit that the field's name tells."""

    count: int
    median: float
    p95: float
    """The 95th percentile, between neighbours if need be."""
    worst: float

    def told(self, unit: str = "", scale: float = 1.0) -> tuple[str, ...]:
        """Cells of a table: how many, then the three figures."""
        figures = (self.median, self.p95, self.worst)
        return (str(self.count), *(f"{figure * scale:.3g}{unit}" for figure in figures))


class Latencies(Value):
    """What some calls took, in milliseconds."""

    calls: int
    median_ms: float
    p95_ms: float
    p99_ms: float
    worst_ms: float

    def told(self) -> tuple[str, ...]:
        """Cells of a table: how many, then the four figures."""
        figures = (self.median_ms, self.p95_ms, self.p99_ms, self.worst_ms)
        return (str(self.calls), *(f"{figure:.2f}" for figure in figures))


def latencies(took_s: Sequence[float]) -> Latencies:
    """The figures of at least one call, each given in seconds."""
    took_ms = [1e3 * one for one in took_s]
    return Latencies(
        calls=len(took_ms),
        median_ms=median(took_ms),
        p95_ms=percentile(took_ms, 95),
        p99_ms=percentile(took_ms, 99),
        worst_ms=max(took_ms),
    )


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which so many of a hundred lie; a single value is all its percentiles."""
    if len(values) == 1:
        return values[0]
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def spread(values: Sequence[float]) -> Spread | None:
    """The figures of these values; None when there is none."""
    if not values:
        return None
    return Spread(
        count=len(values), median=median(values), p95=percentile(values, 95), worst=max(values)
    )


def cells(found: Spread | None, unit: str = "", scale: float = 1.0) -> tuple[str, ...]:
    """A spread's cells, or dashes."""
    return found.told(unit, scale) if found is not None else ("0", "-", "-", "-")
