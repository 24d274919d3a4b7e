"""Audit blocks: the same calls forced into order, to see whether plain blocks told their time.

In a plain block no call depends on another, so several could be done in one go, or overlap. In an
audit block a `fold` between two calls makes the input of the next one depend on the output of the
one before, at places that nobody knew until the clock started. A gain that plain blocks show must
be there as well; what follows when it is not is the gate's business.

    refresh -> block with folds -> folds repeated by the referee on its own copy -> compared

Nothing is believed of the runner's folds: afterwards its inputs must hold exactly what the
referee's own folds make of its own draw and of the outputs it finds. Start at `audit`.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from guard.asks import AttachAsk, AuditAsk
from guard.domain.decision import Policy
from guard.domain.problem import TensorSpec, concrete_shape
from guard.fold import ENTRIES, SAMPLES, fold_each
from guard.referee import clock, stopwatch
from guard.referee.blocks import Blocks, Plan
from guard.referee.court import Court, fresh_seed
from guard.referee.drawing import equal_inputs
from guard.referee.idle import check_idle
from guard.referee.reference import Reference, torch_dtype
from guard.referee.runners import RunnerFailed
from guard.referee.sides import Side, SideFailed
from guard.referee.slots import Layout

HALF_TURNS = 3
"""Used ones; one more goes before them to warm up."""
LENGTHS = 4
"""How many times longer than a plain block an audit block aims to be: folds fill most of it."""
FOLD_MS = 0.02
"""About what one fold takes; decides on the length alone."""
LEAST_LONG = 4


@dataclass(frozen=True)
class Chain:
    """Which output goes into which input of the next call."""

    output: int
    read: int
    """Elements of that output."""
    into: int
    """Place among the tensor inputs that are not constant."""
    changed: int
    """Elements of that input."""

    @classmethod
    def of(cls, layout: Layout) -> "Chain | None":
        """The largest of each, floating inputs before others; none where one has no element.

        A constant input carries nothing: it must stay as it was prepared.
        """
        definition, sizes = layout.definition, layout.sizes
        inputs = list(definition.varying_tensors.values())
        outputs = list(definition.outputs.values())
        read = [_elements(spec, sizes) for spec in outputs]
        changed = [(torch_dtype(s.dtype).is_floating_point, _elements(s, sizes)) for s in inputs]
        if not changed or not max(read) or not max(changed)[1]:
            return None
        output, into = read.index(max(read)), changed.index(max(changed))
        return cls(output, read[output], into, changed[into][1])


@dataclass(frozen=True)
class _Auditor:
    """What audits one side: the other one's slots serve as the referee's own copy."""

    side: Side
    other: Side
    table: Tensor
    """Shared with the side's runner, shape [long, ENTRIES]."""
    chain: Chain
    plan: Plan
    reference: Reference
    limit_s: float


def audit(
    court: Court,
    both: Sequence[Side],
    plan: Plan,
    slower_ms: float,
    reference: Reference,
    policy: Policy,
) -> list[list[Blocks]]:
    """Audit two sides that were timed by this plan; per side, both blocks per half turn.

    `slower_ms` is what a call of the slower side took. Nothing is returned for a side where no
    tensor could carry an order from one call to the next.

    Raises:
        SideFailed: what one side did instead.
    """
    chain = Chain.of(both[0].slots.layout)
    if chain is None:
        return [[] for _ in both]
    block_ms = LENGTHS * (policy.block_ms if plan.mode == "graph" else policy.host_block_ms)
    wanted = round(block_ms / (slower_ms + FOLD_MS))
    handicap = max(side.handicap for side in both)
    shorter = Plan.of(max(LEAST_LONG, min(len(plan.long), wanted)), plan.mode, handicap)
    with ExitStack() as stack:
        auditors = []
        for side, other in zip(both, reversed(both), strict=True):
            table = stack.enter_context(_shared_table(court, side, shorter, policy.call_limit_s))
            one = _Auditor(side, other, table, chain, shorter, reference, policy.call_limit_s)
            auditors.append(one)
        ask = partial(AuditAsk, mode=plan.mode, output=chain.output, into=chain.into)
        clock.make_ready(both, shorter, policy.call_limit_s, ask)
        return _half_turns(auditors)


def _elements(spec: TensorSpec, sizes: dict[str, int]) -> int:
    return torch.Size(concrete_shape(spec, sizes)).numel()


@contextmanager
def _shared_table(court: Court, side: Side, plan: Plan, limit_s: float) -> Iterator[Tensor]:
    """Memory for one fold per call of the long block, which the side's runner maps as well."""
    entries = len(plan.drawn(long=True))
    arena = court.device.allocate(court.identity, entries * ENTRIES * 8)
    try:
        ask = AttachAsk(purpose="folds", handle=arena.handle())
        try:
            side.runner.ask(ask, limit_s, fds=arena.fds())
        except RunnerFailed as failed:
            raise SideFailed(side, failed) from failed
        table: Tensor = arena.tensor(0, (entries, ENTRIES), "int64")
        yield table
    finally:
        arena.close()


def _half_turns(auditors: Sequence[_Auditor]) -> list[list[Blocks]]:
    order = list(enumerate(auditors))
    found: list[list[Blocks]] = [[] for _ in auditors]
    for number in range(1 + HALF_TURNS):
        for index, one in order:
            took_ms = {
                long: stopwatch.at_rest(partial(_audited, one, long=long))
                for long in clock.shuffled([False, True])
            }
            if number:
                found[index].append(Blocks.of(one.plan, took_ms[False], took_ms[True]))
        order.reverse()
    return found


def _audited(one: _Auditor, *, long: bool) -> float:
    """One audit block of one side, milliseconds; every fold and some outputs checked."""
    side, other = one.side, one.other
    slots = one.plan.block(long=long, handicap=side.handicap)
    side.slots.refresh(slots, fresh_seed(), others=[other.slots])
    places = _draw(len(slots), one.chain, one.table.device)
    one.table[: len(slots)].copy_(places)
    check_idle([side, other])
    took_ms = stopwatch.block(side, one.plan, one.limit_s, long=long)
    clock.check_outputs(side, slots, one.plan.mode, {})
    _repeat(one, slots, places)
    if not equal_inputs(side, other, slots):
        message = "inputs were changed during an audit block, other than by its folds"
        raise SideFailed(side, RunnerFailed("REWARD_HACK", message))
    drawn = secrets.choice(slots)
    right = side.right(drawn, one.reference)
    wanted = {} if right is None else {drawn: right}
    clock.check_outputs(side, [drawn], one.plan.mode, wanted)
    return took_ms


def _draw(count: int, chain: Chain, device: torch.device) -> Tensor:
    """Where the folds of one block read and write: [count, ENTRIES] for `Fold.read`."""
    generator = torch.Generator(device=device).manual_seed(fresh_seed())
    targets = min(SAMPLES, chain.changed)
    # One target from each of so many equal stretches, so that no two are the same.
    stretch = chain.changed // targets
    starts = torch.arange(targets, device=device) * stretch
    drawn = torch.zeros((count, ENTRIES), dtype=torch.int64, device=device)
    drawn[:, :SAMPLES].random_(0, chain.read, generator=generator)
    drawn[:, SAMPLES : SAMPLES + targets].random_(0, stretch, generator=generator).add_(starts)
    drawn[:, -1].random_(generator=generator)
    return drawn


def _repeat(one: _Auditor, slots: Sequence[int], places: Tensor) -> None:
    """Fold the outputs found into the referee's own copy of the inputs."""
    chain, calls = one.chain, slots[1:]
    if not calls:
        return
    for rows in one.side.written(slots[:-1]):
        if rows.tensor == chain.output:
            stop = rows.first + len(rows.matrix)
            into = one.other.slots.input_matrix(chain.into, calls[rows.first : stop])
            fold_each(rows.matrix, into, places[1 + rows.first : 1 + stop])
