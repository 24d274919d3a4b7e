"""The referee's clock: blocks of calls timed from outside the candidate's process.

A block is one pass over n distinct slots. The clock starts with "go" and stops only after the
referee's own look at the last output: the runner is frozen first, and the look is queued on the
device behind everything the runner queued. The slope between a short and a long block says what
"go", "done" and the look cost, and so the time of one call (`latencies_ms`). Every slot is checked
for poison, secretly drawn ones are compared in full. Where the host can tell how long it made a
runner wait for its core, that time is taken off: a busy host is not the candidate's fault.

    Side × Side -> turn: refresh both, then both blocks on each -> `Blocks` per side

Start at `turn`. Not here: which side is the candidate, how often, and what it means (`duel`).
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import torch
from torch import Tensor

from guard.asks import BlockAsk, CaptureAsk
from guard.referee.compare import batches, joined, same_bits
from guard.referee.court import fresh_seed
from guard.referee.reference import Expected, Reference
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed, WrongOutput
from guard.wire import encode

GO = {long: encode(BlockAsk(long=long)) for long in (False, True)}
DRAWN = 1
"""Slots of a turn whose every element is compared, besides the poison check of all."""
MOST_FIXED = 0.9
"""Share of a short block that its fixed cost may be believed to be."""
LOOKED_AT = 2**16
"""Elements of each last output that the look reads."""
NOT_CAPTURABLE = (
    "not capturable: launch on the current stream. The plain call was right, but replaying the "
    "recorded calls wrote nothing, as happens with launches on the default stream"
)
Mode = Literal["graph", "host"]


@dataclass(frozen=True)
class Plan:
    """How a workload is timed: which slots form the two blocks, and how they are run."""

    short: tuple[int, ...]
    long: tuple[int, ...]
    mode: Mode

    @property
    def slots(self) -> tuple[int, ...]:
        """Both blocks' slots: all distinct."""
        return self.short + self.long

    @classmethod
    def of(cls, long: int, mode: Mode) -> "Plan":
        """A long block of this length, and a short one of a quarter of it."""
        short = max(1, long // 4)
        return cls(tuple(range(short)), tuple(range(short, short + long)), mode)


@dataclass(frozen=True)
class Blocks:
    """What both blocks of one side took, from "go" to the end of the look."""

    short_ms: float
    long_ms: float
    calls: int
    """How many calls the long block has more than the short one."""
    long_calls: int

    @property
    def latency_ms(self) -> float:
        """The slope: milliseconds per call, without what "go", "done" and the look cost.

        Non-positive when the clock was fooled or disturbed: that is for the gate to judge.
        """
        return (self.long_ms - self.short_ms) / self.calls

    @property
    def most_ms(self) -> float:
        """An upper bound for one call: the fixed costs shared out over the long block."""
        return self.long_ms / self.long_calls


def latencies_ms(
    blocks: Sequence[Blocks], champion: Sequence[Blocks], mode: Mode
) -> tuple[float, ...]:
    """Milliseconds per call, one figure per turn.

    Recorded calls run no host code of the candidate, and processes differ in what a block costs
    besides its calls: each side has its own slope. Calls made from the host could dawdle in the
    short block to flatten the slope, so there both sides are charged the champion's fixed cost.
    """
    if mode == "graph":
        return tuple(b.latency_ms for b in blocks)
    fixed = fixed_ms(champion)
    return tuple((b.long_ms - fixed) / b.long_calls for b in blocks)


def fixed_ms(champion: Sequence[Blocks]) -> float:
    """What one block costs besides its calls, from the slope between both block lengths."""
    costs = [b.short_ms - (b.long_calls - b.calls) * b.latency_ms for b in champion]
    # Less than the shortest block, however disturbed the slopes are.
    return min(max(0.0, median(costs)), MOST_FIXED * min(b.short_ms for b in champion))


def capture(side: Side, plan: Plan, limit_s: float) -> None:
    """Have the runner make both blocks ready.

    Raises:
        SideFailed: nothing could be recorded, or the candidate failed.
    """
    try:
        side.runner.thaw()
        ask = CaptureAsk(short=plan.short, long=plan.long, mode=plan.mode)
        answer, _ = side.runner.ask(ask, limit_s)
        side.runner.freeze()
        if side.returns and plan.mode == "graph":
            side.found_at(plan.slots, answer.returned)
    except RunnerFailed as failed:
        raise SideFailed(side, failed) from failed


def turn(sides: Sequence[Side], plan: Plan, reference: Reference, limit_s: float) -> list[Blocks]:
    """Fresh inputs for all sides, then each one's blocks in order. All sides see the same values.

    Raises:
        SideFailed: what one side did instead.
    """
    first, *others = sides
    seed = fresh_seed()
    first.slots.refresh(plan.slots, seed)
    for other in others:
        other.slots.copy(first.slots, plan.slots)
    right = {slot: first.right(slot, reference) for slot in _drawn(sides, plan)}
    short_first = bool(secrets.randbits(1))
    times = []
    for side in sides:
        try:
            times.append(_timed(side, plan, right, limit_s, short_first=short_first))
        except (RunnerFailed, WrongOutput) as failure:
            raise SideFailed(side, failure) from failure
    for other in others:
        _check_same_inputs(first, other, plan, seed)
    return times


def _timed(
    side: Side,
    plan: Plan,
    right: dict[int, Expected | None],
    limit_s: float,
    *,
    short_first: bool,
) -> Blocks:
    """Time both blocks on one side and check what they wrote."""
    if plan.mode == "host":
        side.drop_returned()
    side.poison(plan.slots)
    took_ms: dict[bool, float] = {}
    for long in (False, True) if short_first else (True, False):
        took_ms[long] = _block(side, plan, limit_s, long=long)
    left = side.unwritten(plan.slots)
    if left and plan.mode == "graph" and left == _elements(side, plan):
        raise RunnerFailed("RUNTIME_ERROR", NOT_CAPTURABLE)
    for slot, expected in right.items():
        if expected is not None:
            side.check(slot, expected, "a timed call")
    if left:
        message = f"{left:,} output elements of a timed block were never written"
        raise RunnerFailed("REWARD_HACK", message)
    calls = len(plan.long) - len(plan.short)
    return Blocks(took_ms[False], took_ms[True], calls, len(plan.long))


def _block(side: Side, plan: Plan, limit_s: float, *, long: bool) -> float:
    """Run one block; milliseconds from "go" to the end of the referee's own look."""
    slots = plan.long if long else plan.short
    fixed = not side.returns or plan.mode == "graph"
    last = side.outputs(slots[-1]) if fixed else []
    # The referee's own work on the device, the poison above all, must not be timed.
    side.settle()
    before = side.host_time()
    side.runner.thaw()
    start_ns = time.perf_counter_ns()
    side.runner.put(GO[long])
    answer, _ = side.runner.take(limit_s)
    side.runner.freeze()
    _look(last)
    took_ns = time.perf_counter_ns() - start_ns
    took_ns = side.without_waiting(took_ns, before)
    if long:
        side.check_alone()
    done = side.runner.done(answer)
    if not fixed:
        side.found_at(slots, done.returned)
        side.forget_patterns()
    return took_ns / 1e6


def _look(outputs: Sequence[Tensor]) -> None:
    """Read from the outputs on the device, behind everything queued there, and wait for it.

    What is queued behind is what counts: every element is checked later, when no clock runs.
    On a CPU the frozen runner can write nothing any more, so there is nothing to wait for.
    """
    for output in outputs:
        if output.is_cuda and output.numel():
            elements = output.reshape(-1)
            sample = elements[:: max(1, elements.numel() // LOOKED_AT)].contiguous()
            sample.view(torch.uint8).amax().item()


def _elements(side: Side, plan: Plan) -> int:
    return sum(output.numel() for slot in plan.slots for output in side.outputs(slot))


def _check_same_inputs(first: Side, other: Side, plan: Plan, seed: int) -> None:
    """Both sides got the same inputs, so a difference now means that one of them wrote there.

    Raises:
        SideFailed: of the side whose inputs differ from a second draw with the same seed.
    """
    if _equal_inputs(first, other, plan.slots):
        return
    slot = next(slot for slot in plan.slots if not _equal_inputs(first, other, [slot]))
    mine = [tensor.clone() for tensor in first.slots.inputs(slot)]
    first.slots.refresh(plan.slots, seed)
    redrawn = first.slots.inputs(slot)
    honest = all(same_bits(a, b) for a, b in zip(mine, redrawn, strict=True))
    message = "an input was changed during a timed block; inputs must stay as they are"
    raise SideFailed(other if honest else first, RunnerFailed("REWARD_HACK", message))


def _equal_inputs(first: Side, other: Side, slots: Sequence[int]) -> bool:
    mine = batches([first.slots.inputs(slot) for slot in slots])
    theirs = batches([other.slots.inputs(slot) for slot in slots])
    return all(same_bits(joined(a), joined(b)) for (a, _), (b, _) in zip(mine, theirs, strict=True))


def _drawn(sides: Sequence[Side], plan: Plan) -> list[int]:
    """The secretly drawn slots; every slot when returned tensors are new.

    Those cannot be poisoned beforehand, so only a full comparison shows that they were computed.
    """
    if plan.mode == "host" and any(side.returns for side in sides):
        return list(plan.slots)
    return secrets.SystemRandom().sample(plan.slots, min(DRAWN, len(plan.slots)))
