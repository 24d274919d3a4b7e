"""Calls over slots: one plain call, or a block recorded and replayed.

    BindAsk (-> a kernel per set of constant inputs) -> one `Call` per slot -> plain call | block

Start at `Bench`. Not here: any judgement; what this file says may be a lie.
"""

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from guard.asks import AuditAsk, BindAsk, CaptureAsk, Returned, SetsAt, TensorAt
from guard.ports import Arena, Call, Device, Kernel
from guard.preparing import Preparing


class WrongReturn(Exception):
    """What a return-style candidate returned is no output of this problem."""

    def __init__(
        self, status: Literal["INCORRECT_SHAPE", "INCORRECT_DTYPE", "RUNTIME_ERROR"], message: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True)
class _Slot:
    """The arguments of one call."""

    inputs: Mapping[str, Any]
    """In definition order: what the slot has of its own, and scalars."""
    outputs: list[Any]

    @property
    def tensors(self) -> list[Any]:
        """The inputs that are no Python numbers."""
        return [i for i in self.inputs.values() if not isinstance(i, (bool, int, float))]


class Bench:
    """A kernel bound to every slot of an arena."""

    def __init__(self, kernel: Kernel, device: Device, arena: Arena, ask: BindAsk) -> None:
        self._device = device
        self._ask = ask
        self._kernel = kernel
        self._slots = [self._placed(arena, slot) for slot in range(ask.count)]
        self._sets = self._placed_sets(arena, ask.constants) if ask.constants else []
        self._prepared: dict[int, Kernel | None] = {}
        """Per set that was asked for, what came of the candidate's `prepare`."""
        self._calls: list[Call | None] = [None] * ask.count
        if ask.constants is None:
            self._calls = [self._bound(slot) for slot in range(ask.count)]
        self._blocks: dict[bool, Callable[[], None]] = {}
        # Returned tensors must outlive the ask: the referee reads them where they lie.
        self._kept: dict[object, list[Any]] = {}
        self._recorded = False

    def prepare(self, number: int) -> bool:
        """Take in a set of constant inputs; whether the candidate has a `prepare` of its own."""
        constants = list(self._sets[number].values())
        kernel, axes = self._kernel, self._ask.axes
        made = kernel.prepare(constants, axes) if isinstance(kernel, Preparing) else None
        self._device.synchronise()
        self._prepared[number] = made
        # Bound anew when they are called next: that takes time which is not the candidate's.
        of_slot = self._ask.constants.of_slot if self._ask.constants else ()
        self._calls = [
            None if one == number else call for one, call in zip(of_slot, self._calls, strict=True)
        ]
        return made is not None

    def call(self, slot: int) -> tuple[Returned, ...]:
        """One plain call, then wait for the device."""
        returned = self._call(slot)()
        self._device.synchronise()
        return self._located(("plain", slot), [returned])[0] if self._ask.returns else ()

    def capture(self, ask: CaptureAsk) -> tuple[tuple[Returned, ...], ...]:
        """Make the two blocks ready; recorded calls return to fixed places, told here."""
        plain = [[self._call(slot) for slot in slots] for slots in (ask.short, ask.long)]
        return self._made_ready(ask, plain)

    def audit(self, ask: AuditAsk, folds: Arena) -> tuple[tuple[Returned, ...], ...]:
        """The same with a fold before every call but the first."""
        return self._made_ready(ask, [self._chained(s, ask, folds) for s in (ask.short, ask.long)])

    def _made_ready(
        self, ask: CaptureAsk | AuditAsk, blocks: Sequence[Sequence[Call]]
    ) -> tuple[tuple[Returned, ...], ...]:
        located: list[tuple[Returned, ...]] = []
        # What was recorded before holds memory for returned outputs.
        self._blocks, self._kept = {}, {}
        for long, calls in zip((False, True), blocks, strict=True):
            if ask.mode == "host":
                self._blocks[long] = self._loop(calls, long)
                continue
            self._blocks[long], results = self._device.capture(calls)
            if self._ask.returns:
                located += self._located(("block", long), results)
        self._recorded = ask.mode == "graph"
        self._device.synchronise()
        return tuple(located)

    def block(self, long: bool) -> tuple[tuple[Returned, ...], ...]:
        """One pass over the block's slots; says where a plain loop's returned tensors lie."""
        # Collecting garbage takes as long as a block.
        gc.disable()
        try:
            self._blocks[long]()
            self._device.synchronise()
        finally:
            gc.enable()
        if not self._ask.returns or self._recorded:
            return ()
        return tuple(self._located(("block", long), self._kept[long]))

    def _loop(self, calls: Sequence[Call], long: bool) -> Callable[[], None]:
        def run() -> None:
            self._kept[long] = [call() for call in calls]

        return run

    def _chained(self, slots: Sequence[int], ask: AuditAsk, folds: Arena) -> list[Call]:
        """Calls of which each but the first takes in some of the output before it."""
        from guard.fold import ENTRIES, Fold, fold, rehearse

        table = folds.tensor(0, (len(slots), ENTRIES), "int64")
        before: list[Any] = []
        # The first launch of a kernel loads it, which cannot be recorded.
        for first in self._slots[:1]:
            rehearse(self._ask.outputs[ask.output].dtype, first.tensors[ask.into])

        def linked(number: int, slot: int) -> Call:
            own, bound = self._slots[slot], self._call(slot)
            into = own.tensors[ask.into]
            place = Fold.read(table[number], into.numel())

            def call() -> Sequence[Any] | None:
                if number:
                    fold(before[0], into, place)
                returned = bound()
                given = outputs_of(returned, self._ask.names) if self._ask.returns else own.outputs
                before[:] = [given[ask.output]]
                return returned

            return call

        return [linked(number, slot) for number, slot in enumerate(slots)]

    def _placed(self, arena: Arena, slot: int) -> _Slot:
        """What one slot has of its own."""
        at = (slot * self._ask.slot_bytes + offset for offset in self._ask.offsets)
        shared = self._ask.constants.names if self._ask.constants else ()
        inputs = {
            name: arena.tensor(next(at), i.shape, i.dtype) if isinstance(i, TensorAt) else i
            for name, i in zip(self._ask.input_names, self._ask.inputs, strict=True)
            if name not in shared
        }
        outputs = []
        if not self._ask.returns:
            outputs = [arena.tensor(next(at), o.shape, o.dtype) for o in self._ask.outputs]
        return _Slot(inputs, outputs)

    def _placed_sets(self, arena: Arena, sets: SetsAt) -> list[dict[str, Any]]:
        """Every set's constant inputs by name."""
        inputs: dict[str, Any] = dict(zip(self._ask.input_names, self._ask.inputs, strict=True))
        placed: list[dict[str, Any]] = []
        for number in range(1 + max(sets.of_slot)):
            placed.append({})
            for name, offset in zip(sets.names, sets.offsets, strict=True):
                at, i = sets.start + number * sets.set_bytes + offset, inputs[name]
                placed[-1][name] = arena.tensor(at, i.shape, i.dtype)
        return placed

    def _call(self, slot: int) -> Call:
        call = self._calls[slot] or self._bound(slot)
        self._calls[slot] = call
        return call

    def _bound(self, slot: int) -> Call:
        own, kernel = self._slots[slot], self._kernel
        given = own.inputs
        if self._ask.constants is not None:
            # Who calls without having asked for the set is told so by its number.
            number = self._ask.constants.of_slot[slot]
            made = self._prepared[number]
            if made is None:
                whole = {**given, **self._sets[number]}
                given = {name: whole[name] for name in self._ask.input_names}
            kernel = made or kernel
        written = () if self._ask.returns else self._ask.names
        return kernel.bind(list(given.values()), own.outputs, self._ask.axes, (*given, *written))

    def _located(self, key: object, results: list[Any]) -> list[tuple[Returned, ...]]:
        tensors = [outputs_of(result, self._ask.names) for result in results]
        self._kept[key] = tensors
        return [tuple(map(self._place, outputs)) for outputs in tensors]

    def _place(self, tensor: Any) -> Returned:
        address, handle = self._device.locate(tensor)
        return Returned(
            shape=tuple(tensor.shape),
            strides=tuple(tensor.stride()),
            dtype=str(tensor.dtype).removeprefix("torch."),
            address=address,
            handle=handle,
        )


def outputs_of(result: Any, names: Sequence[str]) -> list[Any]:
    """What was returned, as tensors in output order: a tensor, a sequence, or a dict by name.

    Raises:
        WrongReturn: the number of outputs or their kind does not fit.
    """
    import torch

    if isinstance(result, Mapping):
        missing = [name for name in names if name not in result]
        if missing:
            raise WrongReturn("INCORRECT_SHAPE", f"the returned dict lacks {', '.join(missing)}")
        values = [result[name] for name in names]
    else:
        values = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(values) != len(names):
        raise WrongReturn(
            "INCORRECT_SHAPE", f"returned {len(values)} outputs, expected {len(names)}"
        )
    for value, name in zip(values, names, strict=True):
        if type(value) is not torch.Tensor:
            raise WrongReturn(
                "RUNTIME_ERROR", f"output {name!r} is a {type(value).__name__}, not a plain tensor"
            )
    return values
