"""Warm latency: one slot called again and again, so that what it reads and writes stays in cache.

    audited sides -> both blocks over one slot, in turn -> `Blocks` per side

A slot that is called twice between two poisonings shows no call that was skipped, so this figure is
told beside the latency and no decision uses it. Start at `again`. Not here: the latency that
counts, whose slots are all distinct (`timing`, `stopwatch`).
"""

from collections.abc import Sequence
from functools import partial

from guard.referee.blocks import Blocks, Plan
from guard.referee.clock import capture
from guard.referee.court import fresh_seed
from guard.referee.idle import check_idle
from guard.referee.sides import Side
from guard.referee.stopwatch import at_rest, block

SLOT = 0
TURNS = 3
"""Their median is told: a block that was disturbed is the longer one."""


def again(both: Sequence[Side], plan: Plan, limit_s: float) -> list[list[Blocks]]:
    """Blocks of the same lengths as in this plan, over one slot; per side, one entry per turn.

    They replace the blocks made ready before.

    Raises:
        SideFailed: what one side did instead.
    """
    repeated = Plan((SLOT,) * len(plan.short), (SLOT,) * len(plan.long), plan.mode)
    first, *others = both
    first.slots.refresh([SLOT], fresh_seed(), others=[other.slots for other in others])
    capture(both, repeated, limit_s)
    found: list[list[Blocks]] = [[] for _ in both]
    for _ in range(TURNS):
        for side, taken in zip(both, found, strict=True):
            check_idle(both)
            short_ms, long_ms = (
                at_rest(partial(block, side, repeated, limit_s, long=long))
                for long in (False, True)
            )
            taken.append(Blocks.of(repeated, short_ms, long_ms))
    return found
