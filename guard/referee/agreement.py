"""Do two sides that ran on the same inputs agree? Every element of every slot of a block.

What is right costs a run of the reference per slot; whether two outputs can both be right costs a
look at them. Only where they cannot, the reference is asked which side is wrong. So a wrong answer
in a timed call is found unless both sides give it alike, and nobody is refused without a full
comparison.

    outputs × outputs × Tolerance -> slots in doubt -> reference -> the side that is wrong

Start at `settle`. Not here: one side's outputs against what is right (`Side.check`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from guard.domain.problem import Tolerance
from guard.referee.compare import CHUNK, as_floats, batches
from guard.referee.reference import Reference
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.verify import BEYOND

APART = 2.5
"""How many tolerances two right elements may lie apart: 2, and room for whose size it refers to."""


def settle(first: Side, other: Side, slots: Sequence[int], reference: Reference) -> None:
    """Find out who is wrong where the two sides do not agree.

    Raises:
        SideFailed: of the side whose output is wrong.
    """
    layout = first.slots.layout
    mine, theirs = ([side.outputs(slot) for slot in slots] for side in (first, other))
    for number in disagreeing(mine, theirs, layout.workload.tolerance):
        right = first.right(slots[number], reference)
        if right is None:
            continue
        for side in (first, other):
            try:
                side.check(slots[number], right, "a timed call")
            except WrongOutput as wrong:
                raise SideFailed(side, wrong) from wrong


def disagreeing(
    mine: Sequence[Sequence[Tensor]], theirs: Sequence[Sequence[Tensor]], tolerance: Tolerance
) -> list[int]:
    """The numbers of the slots whose outputs cannot both be right."""
    doubted: set[int] = set()
    at = dict.fromkeys(range(len(mine[0])), 0)
    for (a, index), (b, _) in zip(batches(mine), batches(theirs), strict=True):
        found = _doubted(a, b, tolerance)
        doubted.update(at[index] + number for number in found)
        at[index] += len(a)
    return sorted(doubted)


def _doubted(a: Sequence[Tensor], b: Sequence[Tensor], tolerance: Tolerance) -> list[int]:
    """Of one output of some slots: those with too many elements apart, or one much too far."""
    x, y = _matrix(a), _matrix(b)
    slots, elements = x.shape
    apart = torch.zeros(slots, dtype=torch.int64, device=x.device)
    beyond = torch.zeros_like(apart)
    width = max(1, CHUNK // slots)
    for start in range(0, elements, width):
        stop = min(start + width, elements)
        here, far = _apart(x[:, start:stop], y[:, start:stop], tolerance)
        apart += here
        beyond += far
    # Each side may have its own elements out of tolerance.
    allowed = 2 * (1 - tolerance.required_matched_ratio) * elements
    return ((apart > allowed) | (beyond > 0)).nonzero().flatten().tolist()


def _apart(x: Tensor, y: Tensor, tolerance: Tolerance) -> tuple[Tensor, Tensor]:
    """Per slot: elements too far apart to be right on both sides, and those much too far."""
    x, y = as_floats(x), as_floats(y)
    error = torch.sub(x, y).abs_()
    limit = y.abs().mul_(APART * tolerance.max_rtol).add_(APART * tolerance.max_atol)
    # Without the second question an infinite limit would let anything through.
    if bool((error <= limit).all()) and bool(limit.amax().isfinite()):
        none = torch.zeros(x.shape[0], dtype=torch.int64, device=x.device)
        return none, none
    fine = error.isfinite()
    near = (error <= limit) & fine
    if tolerance.allow_negative_inf:
        near |= (x == -torch.inf) & (y == -torch.inf)
    far = ~near & ~((error <= limit * BEYOND) & fine)
    return (~near).sum(1), far.sum(1)


def _matrix(tensors: Sequence[Tensor]) -> Tensor:
    """One row per slot: a copy, unless there is only one slot."""
    rows = [tensor.reshape(1, -1) for tensor in tensors]
    if len(rows) == 1:
        return rows[0]
    dtype = rows[0].dtype
    # Few operations exist for 8-bit types.
    plain = [row.view(torch.uint8) for row in rows] if dtype.itemsize == 1 else rows
    return torch.cat(plain).view(dtype)
