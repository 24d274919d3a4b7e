"""The referee's clock: blocks of calls timed from outside the candidate's process.

A block is one pass over n distinct slots. The clock starts with "go" and stops only after the
referee's own look at the last output: the runner is frozen first, and the look is queued on the
device behind everything the runner queued. The slope between a short and a long block says what
"go", "done" and the look cost, and so the time of one call (`blocks`). Every slot is checked
for poison, secretly drawn ones are compared in full, and all slots of secretly drawn blocks with
the other side's (`agreement`). Where the host can tell how long it made a runner wait for its
core, that time is taken off: a busy host is not the candidate's fault.

    Side × Side -> turn: per block refresh both, run each, check each -> `Blocks` per side

Start at `turn`. Not here: one block on one side (`stopwatch`), which side is the candidate, how
often, and what it means (`duel`).
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor

from guard.asks import AuditAsk, CaptureAsk
from guard.domain.conditions import NOTHING_TOLD, Conditions
from guard.referee.agreement import settle
from guard.referee.asking import ask_each
from guard.referee.blocks import Blocks, Mode, Plan
from guard.referee.drawing import INPUT_CHANGED, Drawing, check_kept, draw
from guard.referee.fingerprint import fingerprints
from guard.referee.idle import check_idle
from guard.referee.reference import Expected, Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.referee.stopwatch import at_rest, block, block_of

DRAWN = 1
"""Slots of a turn whose every element is compared, besides the poison check of all."""
COMPARED = 2
"""One block in so many, secretly drawn, has all inputs and outputs of both sides compared."""
NOT_CAPTURABLE = (
    "not capturable: launch on the current stream. The plain call was right, but replaying the "
    "recorded calls wrote nothing, as happens with launches on the default stream"
)


def capture(sides: Sequence[Side], plan: Plan, limit_s: float) -> None:
    """Have the runners of all sides make both blocks ready.

    Raises:
        SideFailed: nothing could be recorded, or the candidate failed.
    """
    make_ready(sides, plan, limit_s, partial(CaptureAsk, mode=plan.mode))


def make_ready(
    sides: Sequence[Side],
    plan: Plan,
    limit_s: float,
    ask: Callable[..., CaptureAsk | AuditAsk],
) -> None:
    """Have the runners make this kind of blocks ready, in place of those they had.

    Raises:
        SideFailed: nothing could be recorded, or the candidate failed.
    """
    asks = [ask(short=plan.short, long=block_of(side, plan, long=True)) for side in sides]
    answers = ask_each(sides, asks, limit_s)
    for side, made, answer in zip(sides, asks, answers, strict=True):
        try:
            if side.returns and plan.mode == "graph":
                side.found_at((*made.short, *made.long), answer.returned)
        except RunnerFailed as failed:
            raise SideFailed(side, failed) from failed


def turn(
    sides: Sequence[Side],
    plan: Plan,
    reference: Reference | None,
    limit_s: float,
    read: Callable[[], Conditions] = Conditions,
    *,
    sloped: bool = True,
) -> list[Blocks]:
    """Both blocks, each with fresh inputs that all sides share, run by the sides in order.

    Not `sloped`: the long one alone.

    No reference: a rehearsal, of which no figure will come; outputs are looked through for poison.

    A block's inputs are drawn only once the block before it is over and checked, so that no work
    can be done ahead in the other block, or put off into it. `read` is asked after each long one.

    Raises:
        SideFailed: what one side did instead.
    """
    drawn = _drawn(sides, plan) if reference else ()
    kinds = shuffled([False, True]) if sloped else [True]
    took = {
        long: at_rest(partial(_contested, sides, plan, reference, drawn, limit_s, read, long=long))
        for long in kinds
    }
    short_ms = [taken_ms for taken_ms, _ in took[False]] if sloped else [None] * len(sides)
    return [
        Blocks.of(plan, short, long_ms, conditions)
        for short, (long_ms, conditions) in zip(short_ms, took[True], strict=True)
    ]


def shuffled(kinds: list[bool]) -> list[bool]:
    """In an order that no candidate can know."""
    secrets.SystemRandom().shuffle(kinds)
    return kinds


def _contested(
    sides: Sequence[Side],
    plan: Plan,
    reference: Reference | None,
    drawn: Collection[int],
    limit_s: float,
    read: Callable[[], Conditions],
    *,
    long: bool,
) -> list[tuple[float, Conditions]]:
    """One block on every side in order; milliseconds each, and how the device was after it."""
    slots = plan.drawn(long=long)
    first, *others = sides
    drawing, right = draw(sides, slots, reference)
    if reference:
        asked = (slot for slot in drawing.usual if slot in drawn)
        found = {slot: first.right(slot, reference) for slot in asked}
        right |= {slot: wanted for slot, wanted in found.items() if wanted is not None}
    alone = None if others else _fingerprints(first, drawing)
    times = []
    for side in sides:
        check_idle(sides)
        took_ms = block(side, plan, limit_s, long=long)
        times.append((took_ms, read() if long else NOTHING_TOLD))
        called = block_of(side, plan, long=long)
        check_outputs(side, called, plan.mode, right)
    if alone is not None and not torch.equal(alone, _fingerprints(first, drawing)):
        raise SideFailed(first, RunnerFailed("REWARD_HACK", INPUT_CHANGED))
    for other in others:
        # Drawn afterwards, so that no block is known to be looked at less than another.
        if reference and secrets.randbelow(COMPARED) == 0:
            check_kept(drawing, first, other)
            settle(first, other, plan.block(long=long), reference, drawing.unusual)
    return times


def _fingerprints(side: Side, drawing: Drawing) -> Tensor:
    return fingerprints(side.slots.given(drawing.slots), drawing.seed)


def check_outputs(
    side: Side, slots: Sequence[int], mode: Mode, right: Mapping[int, Expected]
) -> None:
    """All slots for poison, drawn ones in full, constant inputs, while the runner is frozen.

    Raises:
        SideFailed: with what was found.
    """
    try:
        _check_written(side, slots, mode)
        side.preparation.check_unchanged()
        for slot, expected in right.items():
            if slot in slots:
                side.check(slot, expected, "a timed call")
    except (RunnerFailed, WrongOutput) as failure:
        raise SideFailed(side, failure) from failure


def _check_written(side: Side, slots: Sequence[int], mode: Mode) -> None:
    left = side.unwritten(slots)
    if left and mode == "graph" and left == side.elements(slots):
        raise RunnerFailed("RUNTIME_ERROR", NOT_CAPTURABLE)
    if left:
        message = f"{left:,} output elements of a timed block were never written"
        raise RunnerFailed("REWARD_HACK", message)


def _drawn(sides: Sequence[Side], plan: Plan) -> Collection[int]:
    """The secretly drawn slots; every slot when returned tensors are new.

    Those cannot be poisoned beforehand, so only a full comparison shows that they were computed.
    """
    if plan.mode == "host" and any(side.returns for side in sides):
        return plan.slots
    return secrets.SystemRandom().sample(plan.slots, min(DRAWN, len(plan.slots)))
