"""Which conclusions serve a reader most: a pure ranking of recorded values.

    conclusions × where the reader stands -> the same, in the order to take or to show them

Who drafts needs to know first what failed, so traps lead; who refines builds on what worked, so
wins do. Two of the leading kind are taken for each of the other, so that neither is ever silent.
Within a kind, what still stands goes before what was overturned, then counts how near it lies to
the reader's own strategy; a win counts by its gain as well, of traps the newer goes first.

Start at `in_turn`, then `ranked`. Not here: what a reader may see (`memory.retention`), how much
fits into an answer (`server.boards`).
"""

import math
from collections.abc import Iterable

from coordinator.plateau import Stage
from guard.domain.value import Value
from memory.conclusion import Conclusion, ConclusionKind

SAME_STRATEGY = 0.2
"""What the reader's own strategy is worth, as a win's gain (log units)."""
SAME_LANE = 0.1
"""The same for its lane."""
LEADING = 2
"""Of the leading kind, for each one of the other."""
_DRAFTS = (Stage.NUDGE, Stage.DRAFTING, Stage.ANOTHER_LANE)


class View(Value):
    """Where a reader stands."""

    strategy: str = ""
    lane: str = ""
    """Those of its claim; empty: it has none."""
    drafts: bool = False
    """It needs another idea rather than a better version of its own."""

    @property
    def leading(self) -> ConclusionKind:
        """The kind it is shown first."""
        return "trap" if self.drafts else "win"


def drafts(stage: Stage) -> bool:
    """Whether a claim at this step of the ladder needs another idea."""
    return stage in _DRAFTS


def in_turn(found: Iterable[Conclusion], view: View) -> tuple[Conclusion, ...]:
    """In the order in which to take them while there is room."""
    order = ranked(found, view)
    leading = [one for one in order if one.kind == view.leading]
    others = [one for one in order if one.kind != view.leading]
    taken: list[Conclusion] = []
    while leading or others:
        taken += [*leading[:LEADING], *others[:1]]
        leading, others = leading[LEADING:], others[1:]
    return tuple(taken)


def ranked(found: Iterable[Conclusion], view: View) -> tuple[Conclusion, ...]:
    """In the order in which to show them: the leading kind, then the other, the best of each first.

    The order that they come in makes no difference.
    """
    return tuple(sorted(found, key=lambda one: _key(one, view)))


def _key(one: Conclusion, view: View) -> tuple[bool, bool, float, int]:
    worth = _nearness(one, view)
    if one.kind == "win":
        worth += math.log(one.speedup or 1.0)
    return one.kind != view.leading, not one.sound, -worth, -one.seq


def _nearness(one: Conclusion, view: View) -> float:
    if view.strategy and one.strategy == view.strategy:
        return SAME_STRATEGY
    return SAME_LANE if view.lane and one.lane == view.lane else 0.0
