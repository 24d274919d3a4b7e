"""Do two sides that ran on the same inputs agree? Every element of every slot of a block.

What is right costs a run of the reference per slot; whether two outputs can both be right costs a
look at them. Only where they cannot, the reference is asked which side is wrong. So a wrong answer
in a timed call is found unless both sides give it alike, and nobody is refused without a full
comparison.

    outputs × outputs × Tolerance -> slots in doubt -> reference -> the side that is wrong

Start at `settle`. Not here: one side's outputs against what is right (`Side.check`).
"""

from collections.abc import Collection, Iterator, Sequence

import torch
from torch import Tensor

from guard.domain.problem import Tolerance
from guard.referee import looks
from guard.referee.compare import as_floats, chunk
from guard.referee.reference import Reference
from guard.referee.rows import Rows
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.verify import BEYOND

APART = 2.5
"""How many tolerances two right elements may lie apart: 2, and room for whose size it refers to."""


def settle(
    first: Side,
    other: Side,
    slots: Sequence[int],
    reference: Reference,
    checked: Collection[int] = (),
) -> None:
    """Find out who is wrong where the two sides do not agree; `checked` slots were compared.

    Raises:
        SideFailed: of the side whose output is wrong.
    """
    layout = first.slots.layout
    mine, theirs = (side.written(slots) for side in (first, other))
    for number in disagreeing(mine, theirs, layout.workload.tolerance):
        if slots[number] in checked:
            continue
        right = first.right(slots[number], reference)
        if right is None:
            continue
        for side in (first, other):
            try:
                side.check(slots[number], right, "a timed call")
            except WrongOutput as wrong:
                raise SideFailed(side, wrong) from wrong


def disagreeing(mine: Iterator[Rows], theirs: Iterator[Rows], tolerance: Tolerance) -> list[int]:
    """The places of the slots whose outputs cannot both be right; waits for the device once."""
    found = []
    places: list[int] = []
    for a, b in zip(mine, theirs, strict=True):
        found.append(_doubted(a.matrix, b.matrix, tolerance))
        places += range(a.first, a.first + len(a.matrix))
    doubted = torch.cat(found).nonzero().flatten().tolist() if found else []
    return sorted({places[number] for number in doubted})


def _doubted(x: Tensor, y: Tensor, tolerance: Tolerance) -> Tensor:
    """Of one output, per slot: too many elements apart, or one much too far."""
    slots, elements = x.shape
    # Each side may have its own elements out of tolerance.
    allowed = 2 * (1 - tolerance.required_matched_ratio) * elements
    seen = looks.apart(x, y, tolerance, APART)
    if seen is not None:
        return (seen[:, 0] > allowed) | (seen[:, 1] > 0)
    apart = torch.zeros(slots, dtype=torch.int64, device=x.device)
    beyond = torch.zeros_like(apart)
    width = max(1, chunk(x) // slots)
    for start in range(0, elements, width):
        stop = min(start + width, elements)
        here, far = _apart(x[:, start:stop], y[:, start:stop], tolerance)
        apart += here
        beyond += far
    return (apart > allowed) | (beyond > 0)


def _apart(x: Tensor, y: Tensor, tolerance: Tolerance) -> tuple[Tensor, Tensor]:
    """Per slot: elements too far apart to be right on both sides, and those much too far."""
    x, y = as_floats(x), as_floats(y)
    error = torch.sub(x, y).abs_()
    limit = y.abs().mul_(APART * tolerance.max_rtol).add_(APART * tolerance.max_atol)
    # On a CPU asking costs less than the rest would; a GPU would have to be waited for. Without
    # the second question an infinite limit would let anything through.
    asks = x.device.type == "cpu"
    if asks and bool((error <= limit).all()) and bool(limit.amax().isfinite()):
        none = torch.zeros(x.shape[0], dtype=torch.int64, device=x.device)
        return none, none
    fine = error.isfinite()
    near = (error <= limit) & fine
    if tolerance.allow_negative_inf:
        near |= (x == -torch.inf) & (y == -torch.inf)
    far = ~near & ~((error <= limit * BEYOND) & fine)
    return (~near).sum(1), far.sum(1)
