"""What sums, products and comparisons give, of which results and on which level.

Start at `Arithmetic.combined`. Not here: what loops gather with them (`gathering`).
"""

from __future__ import annotations

from dataclasses import replace

from coordinator.distance.gathering import LANES, Gathering
from coordinator.distance.values import MAX_LEVEL, Known

_SUMS, _PRODUCTS = frozenset("+-"), frozenset("*/%@")


class Arithmetic(Gathering):
    """The part of a reading that calculates."""

    def combined(self, word: str, one: Known, other: Known) -> Known:
        """What an arithmetic operator gives."""
        number = _arithmetic(word, one.number, other.number)
        if number is not None:
            return replace(one.joined(other), number=number, function="", items=())
        if word in _SUMS:
            return self.summed(one, other)
        if word in _PRODUCTS or word == "**":
            return self.multiplied(one, other)
        return replace(one.joined(other).done("bits@0"), number=None)

    def summed(self, one: Known, other: Known) -> Known:
        """A sum or a difference."""
        if one.memory is not None or other.memory is not None:
            found = one.joined(other)
            return replace(found, number=None, items=(), raw=False)
        return self._merged("sum", one, other)

    def larger(self, one: Known, other: Known) -> Known:
        """The larger or the smaller of two."""
        found = self._merged("max", one, other)
        return replace(found, clipped=found.clipped | one.origins | other.origins)

    def _merged(self, kind: str, one: Known, other: Known) -> Known:
        for mine, lane in ((one, other), (other, one)):
            if LANES in lane.found:
                self.found(kind, mine.level)
                step = f"{kind}:{kind}:@{mine.level}"
                through = mine.done(step).joined(lane.done(step))
                level = min(MAX_LEVEL, mine.level + 1)
                return replace(
                    through, level=level, found=frozenset((kind,)), raw=False, number=None
                )
        left, right = _kinds_of(one), _kinds_of(other)
        first = one.done(f"{kind}:{right}:@{other.level}")
        joined = first.joined(other.done(f"{kind}:{left}:@{one.level}"))
        return replace(joined, raw=False, number=None, cell=None)

    def multiplied(self, one: Known, other: Known) -> Known:
        """A product or a quotient."""
        found = one.done(f"scaled@{other.level}").joined(other.done(f"scaled@{one.level}"))
        kept = one.found if not other.data else other.found if not one.data else frozenset[str]()
        raw = (one.raw and not other.data) or (other.raw and not one.data)
        return replace(found, found=kept, raw=raw, number=None, memory=None, cell=None)

    def applied(self, value: Known) -> Known:
        """A function of one value: an exponential, a root."""
        return replace(
            value.done(f"function@{value.level}"),
            found=frozenset(),
            raw=False,
            memory=None,
            cell=None,
        )


def _kinds_of(value: Known) -> str:
    return "+".join(sorted(value.found))


def _arithmetic(word: str, one: int | None, other: int | None) -> int | None:
    if one is None or other is None or max(abs(one), abs(other)) > 2**40:
        return None
    if word in ("/", "//", "%"):
        if not other:
            return None
        return one % other if word == "%" else one // other
    if word in ("<<", ">>"):
        if not 0 <= other < 40:
            return None
        return one << other if word == "<<" else one >> other
    return {"+": one + other, "-": one - other, "*": one * other}.get(word)
