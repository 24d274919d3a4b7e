"""What blocks are, and what their times say of one call: pure values, no clock, no device.

    short and long block, timed -> `Blocks` -> milliseconds per call

Start at `latencies_ms`. Not here: taking the times (`clock`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from guard.domain.conditions import NOTHING_TOLD, Conditions

MOST_FIXED = 0.9
"""Share of a short block that its fixed cost may be believed to be."""

Mode = Literal["graph", "host"]


@dataclass(frozen=True)
class Plan:
    """How a workload is timed: which slots form the two blocks, and how they are run."""

    short: tuple[int, ...]
    long: tuple[int, ...]
    mode: Mode
    spare: tuple[int, ...] = ()
    """Slots behind the long block, for a side that makes more calls than are counted."""

    @property
    def slots(self) -> tuple[int, ...]:
        """Both blocks' slots: all distinct."""
        return self.short + self.long + self.spare

    def block(self, *, long: bool, handicap: float = 0.0) -> tuple[int, ...]:
        """The slots of one block for a side that makes this share more calls in the long one."""
        if not long:
            return self.short
        return self.long + self.spare[: round(handicap * len(self.long))]

    def drawn(self, *, long: bool) -> tuple[int, ...]:
        """The slots that get inputs for one block: all that any side will call."""
        return self.long + self.spare if long else self.short

    @classmethod
    def of(cls, long: int, mode: Mode, handicap: float = 0.0) -> "Plan":
        """A long block of this length, and a short one of a quarter of it."""
        short = max(1, long // 4)
        end = short + long
        spare = range(end, end + round(handicap * long))
        return cls(tuple(range(short)), tuple(range(short, end)), mode, tuple(spare))


@dataclass(frozen=True)
class Blocks:
    """What the blocks of one side took in one turn, from "go" to the end of the look."""

    short_ms: float | None
    """None: the turn had no short one."""
    long_ms: float
    calls: int
    """How many calls the long block has more than the short one."""
    long_calls: int
    conditions: Conditions = NOTHING_TOLD
    """As the device was right after the long block."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        short_ms: float | None,
        long_ms: float,
        conditions: Conditions = NOTHING_TOLD,
    ) -> "Blocks":
        """What the blocks of a plan took."""
        return cls(short_ms, long_ms, len(plan.long) - len(plan.short), len(plan.long), conditions)

    @property
    def slope_ms(self) -> float | None:
        """Milliseconds per call, without what "go", "done" and the look cost, where it is known.

        Non-positive when the clock was fooled or disturbed: that is for the gate to judge.
        """
        return None if self.short_ms is None else (self.long_ms - self.short_ms) / self.calls

    @property
    def fixed_ms(self) -> float | None:
        """What one block costs besides its calls, by the slope between both, where it is known."""
        if self.short_ms is None or self.slope_ms is None:
            return None
        return self.short_ms - (self.long_calls - self.calls) * self.slope_ms

    @property
    def most_ms(self) -> float:
        """An upper bound for one call: the fixed costs shared out over the long block."""
        return self.long_ms / self.long_calls


def latencies_ms(
    blocks: Sequence[Blocks], champion: Sequence[Blocks], *, overlaps: bool = False
) -> tuple[float, ...]:
    """Milliseconds per call, one figure per turn: the long block less the champion's fixed cost.

    Never less more than that: a candidate could dawdle in the short block to raise its own. Where
    the device works beside the host (`overlaps`), less its own where that is smaller: who says
    "done" early has its last calls and the look at the same time. Without blocks there are no
    figures.
    """
    if not blocks:
        return ()
    fixed = fixed_ms(champion)
    if overlaps:
        own = [b.fixed_ms for b in blocks if b.fixed_ms is not None]
        fixed = min(fixed, median(own))
    return tuple((b.long_ms - fixed) / b.long_calls for b in blocks)


def fixed_ms(champion: Sequence[Blocks]) -> float:
    """What one block costs besides its calls, from the turns that had both block lengths."""
    costs = [b.fixed_ms for b in champion if b.fixed_ms is not None]
    shortest_ms = min(b.short_ms for b in champion if b.short_ms is not None)
    # Less than the shortest block, however disturbed the slopes are.
    return min(max(0.0, median(costs)), MOST_FIXED * shortest_ms)


def conditions_of(blocks: Sequence[Blocks]) -> tuple[Conditions, ...]:
    """What the device said of itself, one reading per turn; nothing where it told nothing."""
    seen = tuple(b.conditions for b in blocks)
    return seen if any(one != NOTHING_TOLD for one in seen) else ()
