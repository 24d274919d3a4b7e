"""The inputs of one timed block: fresh, and now and then one call's are of another class.

    Side × slots -> `Drawing` (its values lie in the slots) × what the unusual call should write

Without that, code that runs only where it is timed would never meet an unusual input. One call
among many changes no figure, and both sides get the same. Start at `draw`. Not here: how values
are drawn (`inputs`, `slots`), what is asked of a plain call (`verification`).
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from guard.referee.court import fresh_seed
from guard.referee.inputs import InputClass, classes
from guard.referee.reference import Expected, Reference
from guard.referee.sides import Side

UNUSUAL = 3
"""One block in so many, secretly drawn, has a call on inputs of another class than `listed`."""


@dataclass(frozen=True)
class Drawing:
    """What was drawn for one block; placed again, it gives the same values bit for bit."""

    slots: tuple[int, ...]
    """Consecutive."""
    seed: int
    unusual: Mapping[int, InputClass]
    """Slots with another class than `listed`."""

    def place(self, side: Side) -> None:
        """Draw the values into the slots of this side."""
        side.slots.refresh(self.slots, self.seed)
        for slot, input_class in self.unusual.items():
            side.slots.refresh([slot], self.seed ^ 1, input_class)

    @property
    def usual(self) -> list[int]:
        """The slots whose inputs are as the problem lists them."""
        return [slot for slot in self.slots if slot not in self.unusual]


def draw(
    side: Side, slots: tuple[int, ...], reference: Reference
) -> tuple[Drawing, dict[int, Expected]]:
    """Place fresh inputs; with what each unusual call should write."""
    drawing = Drawing(slots, fresh_seed(), _unusual(side, slots))
    drawing.place(side)
    right: dict[int, Expected] = {}
    for slot, input_class in drawing.unusual.items():
        expected = side.right(slot, reference, input_class)
        if expected is None:
            # The reference itself is not sure of these values.
            drawing = Drawing(slots, drawing.seed, {})
            drawing.place(side)
        else:
            right[slot] = expected
    return drawing, right


def _unusual(side: Side, slots: tuple[int, ...]) -> dict[int, InputClass]:
    layout = side.slots.layout
    _, *others = classes(layout.definition, layout.workload)
    if not others or secrets.randbelow(UNUSUAL):
        return {}
    return {secrets.choice(slots): secrets.choice(others)}
