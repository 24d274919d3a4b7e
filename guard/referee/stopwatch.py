"""One block on one side, timed: from "go" to the end of the referee's own look.

    frozen side, poisoned outputs -> go -> done -> frozen -> look -> milliseconds

Where the device `spins`, the runner is woken first and waits for "go" without sleeping: how long a
host takes to wake a process is neither the candidate's work nor steady. Until "go" its inputs are
sealed (`seals`), so that it cannot begin before. Start at `block`. Not here: what is drawn and
checked around it (`clock`).
"""

import gc
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from guard.asks import GO, StandByAsk
from guard.referee import looks
from guard.referee.blocks import Plan
from guard.referee.idle import check_idle
from guard.referee.runners import RunnerFailed
from guard.referee.seals import Seal, seal
from guard.referee.sides import Side, SideFailed
from guard.wire import encode

T = TypeVar("T")
STAND_BY = encode(StandByAsk())
WAKING_NS = 1_000_000
"""How long a runner may take to say that it is awake without being charged for it.

Who takes longer may be at work. The referee lifts the seals afterwards and charges nobody for that;
before then nothing can be worked out that is right."""
WHOLE_S = 1.0
"""How long the rest of a message may take whose beginning is there."""
ATTEMPTS = 4
"""Blocks begun before a side that stirs each time is refused."""
LOOKED_AT = 2**16
"""Elements of each last output that the look reads."""


class Stirred(Exception):
    """A side used the processor while it was to stand still."""

    def __init__(self, side: Side, ns: int) -> None:
        super().__init__(f"it worked for {ns / 1e3:.0f} us while it was stopped")
        self.side = side


def block_of(side: Side, plan: Plan, *, long: bool) -> tuple[int, ...]:
    """The slots that this side calls in one block of the plan."""
    return plan.block(long=long, handicap=side.handicap)


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


def block(side: Side, plan: Plan, limit_s: float, *, long: bool) -> float:
    """Run one block; milliseconds from "go" to the end of the referee's own look.

    Raises:
        SideFailed: what the side did instead.
        Stirred: it had not stood still; nothing was run.
    """
    # Collecting garbage takes as long as a block.
    gc.disable()
    try:
        return _block(side, plan, limit_s, long=long)
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed
    finally:
        gc.enable()


def _block(side: Side, plan: Plan, limit_s: float, *, long: bool) -> float:
    slots = block_of(side, plan, long=long)
    if plan.mode == "host":
        side.drop_returned()
    side.poison(slots)
    fixed = not side.returns or plan.mode == "graph"
    outputs = _on_device(side.outputs(slots[-1])) if fixed else []
    looks_ready = [looks.touching(output, LOOKED_AT) for output in outputs]
    sealed = None
    if side.device.spins:
        sealed = seal(side.slots, range(slots[0], slots[-1] + 1))
    # The referee's own work on the device, the poison above all, must not be timed.
    side.settle()
    before = side.host_time()
    stirred_ns = side.runner.stirred_ns()
    if stirred_ns > 0:
        # Who measures again may take the inputs as they lie.
        if sealed is not None:
            sealed.lift()
        raise Stirred(side, stirred_ns)
    answer, took_ns = _clocked(side, sealed, looks_ready, limit_s, long=long, fixed=fixed)
    took_ns = side.without_waiting(took_ns, before)
    side.runner.rest()
    side.check_alone()
    _check_done(side, outputs, looks_ready)
    done = side.runner.answer(answer)
    if not fixed:
        side.found_at(slots, done.returned)
        side.forget_patterns()
    return took_ns / 1e6


def _clocked(
    side: Side,
    sealed: Seal | None,
    ready: Sequence[looks.Look],
    limit_s: float,
    *,
    long: bool,
    fixed: bool,
) -> tuple[bytes, int]:
    """From "go" to the end of the look: the raw answer, and nanoseconds.

    A short "done", that says of no new places (`fixed`), is read when no clock runs any more; a
    long one may not fit into a socket.
    """
    start_ns = _go(side, sealed, limit_s, long=long)
    late = fixed and side.device.spins
    answer = b""
    if late:
        side.runner.spin(limit_s)
    else:
        answer, _ = side.runner.take(limit_s, spins=side.device.spins)
    side.runner.stop()
    for look in ready:
        look.queue()
    side.settle()
    took_ns = time.perf_counter_ns() - start_ns
    if late:
        answer, _ = side.runner.take(WHOLE_S)
    return answer, took_ns


def _go(side: Side, sealed: Seal | None, limit_s: float, *, long: bool) -> int:
    """Let the runner go on and begin; the moment from which the block counts, nanoseconds."""
    runner = side.runner
    if not side.device.spins:
        start_ns = time.perf_counter_ns()
        # "Go" waits in the stopped runner's socket, so that one wake-up is timed and not two.
        runner.put(GO[long])
        runner.thaw()
        return start_ns
    thawed_ns = time.perf_counter_ns()
    runner.put(STAND_BY)
    runner.thaw()
    ready, _ = runner.take(limit_s, spins=True)
    late_ns = max(0, time.perf_counter_ns() - thawed_ns - WAKING_NS)
    runner.answer(ready)
    if sealed is not None:
        sealed.lift()
    side.settle()
    start_ns = time.perf_counter_ns()
    runner.put(GO[long])
    return start_ns - late_ns


def _on_device(outputs: Sequence[Tensor]) -> list[Tensor]:
    """What a look reads on the device, behind what is queued there.

    Every element is checked later, when no clock runs. On a CPU the frozen runner can write nothing
    any more, so there is nothing to wait for.
    """
    return [output for output in outputs if output.is_cuda and output.numel()]


def _check_done(side: Side, outputs: Sequence[Tensor], before: Sequence[looks.Look]) -> None:
    """Refuse a side that said "done" so early that its last output still changed after the look.

    A device that several processes share may let a look in before the work of another is over.

    Raises:
        RunnerFailed: REWARD_HACK.
    """
    if not outputs:
        return
    check_idle([side])
    again = [looks.touching(output, LOOKED_AT) for output in outputs]
    for look in again:
        look.queue()
    if not all(torch.equal(a.seen, b.seen) for a, b in zip(before, again, strict=True)):
        raise RunnerFailed("REWARD_HACK", "it said that a block was done while it still wrote")
