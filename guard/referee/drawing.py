"""The inputs of one timed block: fresh, and now and then one call's are of another class.

    Side × slots -> `Drawing` (its values lie in the slots) × what the unusual call should write

Without that, code that runs only where it is timed would never meet an unusual input. One call
among many changes no figure, and both sides get the same. Start at `draw`; `check_kept` asks
afterwards whether all of it is still there. Not here: how values are drawn (`inputs`, `slots`),
what is asked of a plain call (`verification`).
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guard.referee.compare import same_bits
from guard.referee.court import fresh_seed
from guard.referee.inputs import InputClass, classes
from guard.referee.reference import Expected, Reference
from guard.referee.rows import differ
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed

UNUSUAL = 2
"""One block in so many, secretly drawn, has a call on inputs of another class than `listed`."""
INPUT_CHANGED = "an input was changed during a timed block; inputs must stay as they are"
MANY = 4
"""Calls of the shortest block that has one: in fewer it would change a figure, or be all of it."""


@dataclass(frozen=True)
class Drawing:
    """What was drawn for one block; placed again, it gives the same values bit for bit."""

    slots: tuple[int, ...]
    """Consecutive."""
    seed: int
    unusual: Mapping[int, InputClass]
    """Slots with another class than `listed`."""

    def place(self, side: Side, others: Sequence[Side] = ()) -> None:
        """Draw the values into the slots of this side, and the same into those of the others."""
        also = [other.slots for other in others]
        side.slots.refresh(self.slots, self.seed, others=also)
        for slot, input_class in self.unusual.items():
            side.slots.refresh([slot], self.seed ^ 1, input_class, others=also)

    @property
    def usual(self) -> list[int]:
        """The slots whose inputs are as the problem lists them."""
        return [slot for slot in self.slots if slot not in self.unusual]


def draw(
    sides: Sequence[Side], slots: tuple[int, ...], reference: Reference | None
) -> tuple[Drawing, dict[int, Expected]]:
    """Place fresh inputs, the same on all sides; with what each unusual call should write.

    No reference: no call is unusual.
    """
    side, *others = sides
    drawing = Drawing(slots, fresh_seed(), _unusual(side, slots) if reference else {})
    drawing.place(side, others)
    right: dict[int, Expected] = {}
    if reference is None:
        return drawing, right
    for slot, input_class in drawing.unusual.items():
        expected = side.right(slot, reference, input_class)
        if expected is None:
            # The reference itself is not sure of these values.
            drawing = Drawing(slots, drawing.seed, {})
            drawing.place(side, others)
        else:
            right[slot] = expected
    return drawing, right


def check_kept(drawing: Drawing, first: Side, other: Side) -> None:
    """Both sides got the same inputs, so a difference now means that one of them wrote there.

    Raises:
        SideFailed: of the side whose inputs differ from those drawn, placed a second time.
    """
    slots = drawing.slots
    if equal_inputs(first, other, slots):
        return
    slot = next(slot for slot in slots if not equal_inputs(first, other, [slot]))
    mine = [tensor.clone() for tensor in first.slots.inputs(slot)]
    drawing.place(first)
    redrawn = first.slots.inputs(slot)
    honest = all(same_bits(a, b) for a, b in zip(mine, redrawn, strict=True))
    raise SideFailed(other if honest else first, RunnerFailed("REWARD_HACK", INPUT_CHANGED))


def equal_inputs(first: Side, other: Side, slots: Sequence[int]) -> bool:
    """Whether both sides hold the same inputs, bit for bit."""
    return not differ(first.slots.given(slots), other.slots.given(slots))


def _unusual(side: Side, slots: tuple[int, ...]) -> dict[int, InputClass]:
    layout = side.slots.layout
    _, *others = classes(layout.definition, layout.workload)
    if not others or len(slots) < MANY or secrets.randbelow(UNUSUAL):
        return {}
    return {secrets.choice(slots): secrets.choice(others)}
