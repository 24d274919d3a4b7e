"""The referee's clock: blocks of calls timed from outside the candidate's process.

A block is one pass over n distinct slots. The clock starts with "go" and stops only after the
referee's own look at the last output: the runner is frozen first, and the look is queued on the
device behind everything the runner queued. The slope between a short and a long block says what
"go", "done" and the look cost, and so the time of one call (`blocks`). Every slot is checked
for poison, secretly drawn ones are compared in full, and all slots of secretly drawn blocks with
the other side's (`agreement`). Where the host can tell how long it made a runner wait for its core,
that time is taken off: a busy host is not the candidate's fault.

    Side × Side -> turn: per block refresh both, run each, check each -> `Blocks` per side

Start at `turn`. Not here: which side is the candidate, how often, and what it means (`duel`).
"""

import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from guard.asks import AuditAsk, BlockAsk, CaptureAsk
from guard.referee.agreement import settle
from guard.referee.asking import ask_each
from guard.referee.blocks import Blocks, Mode, Plan
from guard.referee.drawing import INPUT_CHANGED, Drawing, check_kept, draw
from guard.referee.fingerprint import fingerprints
from guard.referee.idle import check_idle
from guard.referee.reference import Expected, Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.wire import encode

T = TypeVar("T")
GO = {long: encode(BlockAsk(long=long)) for long in (False, True)}
DRAWN = 1
"""Slots of a turn whose every element is compared, besides the poison check of all."""
COMPARED = 2
"""One block in so many, secretly drawn, has all outputs of both sides compared with each other."""
ATTEMPTS = 4
"""Blocks begun before a side that stirs each time is refused."""
LOOKED_AT = 2**16
"""Elements of each last output that the look reads."""
NOT_CAPTURABLE = (
    "not capturable: launch on the current stream. The plain call was right, but replaying the "
    "recorded calls wrote nothing, as happens with launches on the default stream"
)


class Stirred(Exception):
    """A side used the processor while it was to stand still."""

    def __init__(self, side: Side, ns: int) -> None:
        super().__init__(f"it worked for {ns / 1e3:.0f} us while it was stopped")
        self.side = side


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
    asks = [ask(short=plan.short, long=_block_of(side, plan, long=True)) for side in sides]
    answers = ask_each(sides, asks, limit_s)
    for side, made, answer in zip(sides, asks, answers, strict=True):
        try:
            if side.returns and plan.mode == "graph":
                side.found_at((*made.short, *made.long), answer.returned)
        except RunnerFailed as failed:
            raise SideFailed(side, failed) from failed


def _block_of(side: Side, plan: Plan, *, long: bool) -> tuple[int, ...]:
    return plan.block(long=long, handicap=side.handicap)


def turn(
    sides: Sequence[Side], plan: Plan, reference: Reference | None, limit_s: float
) -> list[Blocks]:
    """Both blocks, each with fresh inputs that all sides share, run by the sides in order.

    No reference: a rehearsal, of which no figure will come; outputs are looked through for poison.

    A block's inputs are drawn only once the block before it is over and checked, so that no work
    can be done ahead in the other block, or put off into it.

    Raises:
        SideFailed: what one side did instead.
    """
    drawn = _drawn(sides, plan) if reference else ()
    kinds = shuffled([False, True])
    took_ms = {
        long: at_rest(partial(_contested, sides, plan, reference, drawn, limit_s, long=long))
        for long in kinds
    }
    return [
        blocks_of(plan, short_ms, long_ms)
        for short_ms, long_ms in zip(took_ms[False], took_ms[True], strict=True)
    ]


def blocks_of(plan: Plan, short_ms: float, long_ms: float) -> Blocks:
    """What both blocks of a plan took."""
    return Blocks(short_ms, long_ms, len(plan.long) - len(plan.short), len(plan.long))


def shuffled(kinds: list[bool]) -> list[bool]:
    """In an order that no candidate can know."""
    secrets.SystemRandom().shuffle(kinds)
    return kinds


def at_rest(measure: Callable[[], T]) -> T:
    """Measure, again from the beginning (with other inputs) where a side had not stood still.

    A busy host now and then lets a thread leave its core long after it was called stopped. Whoever
    stirs every time has itself woken, to work before the clock starts.

    Raises:
        SideFailed: a side stirred each time, or failed.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return measure()
        except Stirred as stirred:
            _settle_again(stirred.side)
    try:
        return measure()
    except Stirred as stirred:
        message = f"{stirred}, the last of {ATTEMPTS} times"
        raise SideFailed(stirred.side, RunnerFailed("REWARD_HACK", message)) from stirred


def _settle_again(side: Side) -> None:
    try:
        side.runner.rest()
    except RunnerFailed as restless:
        raise SideFailed(side, restless) from restless


def _contested(
    sides: Sequence[Side],
    plan: Plan,
    reference: Reference | None,
    drawn: Collection[int],
    limit_s: float,
    *,
    long: bool,
) -> list[float]:
    """One block on every side in order; milliseconds each."""
    slots = plan.drawn(long=long)
    first, *others = sides
    drawing, right = draw(first, slots, reference)
    for other in others:
        other.slots.copy(first.slots, slots)
    if reference:
        asked = (slot for slot in drawing.usual if slot in drawn)
        found = {slot: first.right(slot, reference) for slot in asked}
        right |= {slot: wanted for slot, wanted in found.items() if wanted is not None}
    alone = None if others else _fingerprints(first, drawing)
    times = []
    for side in sides:
        check_idle(sides)
        times.append(block(side, plan, limit_s, long=long))
        called = _block_of(side, plan, long=long)
        check_outputs(side, called, plan.mode, right)
    if alone is not None and not torch.equal(alone, _fingerprints(first, drawing)):
        raise SideFailed(first, RunnerFailed("REWARD_HACK", INPUT_CHANGED))
    for other in others:
        check_kept(drawing, first, other)
        if reference and secrets.randbelow(COMPARED) == 0:
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


def block(side: Side, plan: Plan, limit_s: float, *, long: bool) -> float:
    """Run one block; milliseconds from "go" to the end of the referee's own look.

    Raises:
        SideFailed: what the side did instead.
        Stirred: it had not stood still; nothing was run.
    """
    try:
        return _block(side, plan, limit_s, long=long)
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed


def _block(side: Side, plan: Plan, limit_s: float, *, long: bool) -> float:
    slots = _block_of(side, plan, long=long)
    if plan.mode == "host":
        side.drop_returned()
    side.poison(slots)
    fixed = not side.returns or plan.mode == "graph"
    last = side.outputs(slots[-1]) if fixed else []
    # The referee's own work on the device, the poison above all, must not be timed.
    side.settle()
    before = side.host_time()
    stirred_ns = side.runner.stirred_ns()
    if stirred_ns > 0:
        raise Stirred(side, stirred_ns)
    start_ns = time.perf_counter_ns()
    # "Go" waits in the stopped runner's socket, so that one wake-up is timed and not two.
    side.runner.put(GO[long])
    side.runner.thaw()
    answer, _ = side.runner.take(limit_s)
    side.runner.stop()
    _look(last)
    side.settle()
    took_ns = time.perf_counter_ns() - start_ns
    took_ns = side.without_waiting(took_ns, before)
    side.runner.rest()
    side.check_alone()
    done = side.runner.answer(answer)
    if not fixed:
        side.found_at(slots, done.returned)
        side.forget_patterns()
    return took_ns / 1e6


def _look(outputs: Sequence[Tensor]) -> None:
    """Read from the outputs on the device, behind everything that is queued there.

    What is queued behind is what counts: every element is checked later, when no clock runs.
    On a CPU the frozen runner can write nothing any more, so there is nothing to wait for.
    """
    for output in outputs:
        if output.is_cuda and output.numel():
            apart = max(1, output.numel() // LOOKED_AT) * output.itemsize
            output.reshape(-1).view(torch.uint8)[::apart].amax()


def _drawn(sides: Sequence[Side], plan: Plan) -> Collection[int]:
    """The secretly drawn slots; every slot when returned tensors are new.

    Those cannot be poisoned beforehand, so only a full comparison shows that they were computed.
    """
    if plan.mode == "host" and any(side.returns for side in sides):
        return plan.slots
    return secrets.SystemRandom().sample(plan.slots, min(DRAWN, len(plan.slots)))
