"""Calls over slots: one plain call, or a block recorded and replayed.

    BindAsk -> one `Call` per slot -> plain call | block of calls

Start at `Bench`. Not here: any judgement; what this file says may be a lie.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from guard.asks import AuditAsk, BindAsk, CaptureAsk, Returned, TensorAt
from guard.ports import Arena, Call, Device, Kernel


class WrongReturn(Exception):
    """What a return-style candidate returned is no output of this problem."""

    def __init__(
        self, status: Literal["INCORRECT_SHAPE", "INCORRECT_DTYPE", "RUNTIME_ERROR"], message: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Bench:
    """A kernel bound to every slot of an arena."""

    def __init__(self, kernel: Kernel, device: Device, arena: Arena, ask: BindAsk) -> None:
        self._device = device
        self._ask = ask
        self._tensors = [self._placed(arena, slot) for slot in range(ask.count)]
        self._calls = [self._bound(kernel, slot) for slot in range(ask.count)]
        self._blocks: dict[bool, Callable[[], None]] = {}
        # Returned tensors must outlive the ask: the referee reads them where they lie.
        self._kept: dict[object, list[Any]] = {}
        self._recorded = False

    def call(self, slot: int) -> tuple[Returned, ...]:
        """One plain call, then wait for the device."""
        returned = self._calls[slot]()
        self._device.synchronise()
        return self._located(("plain", slot), [returned])[0] if self._ask.returns else ()

    def capture(self, ask: CaptureAsk) -> tuple[tuple[Returned, ...], ...]:
        """Make the two blocks ready; recorded calls return to fixed places, told here."""
        plain = [[self._calls[slot] for slot in slots] for slots in (ask.short, ask.long)]
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
        self._blocks[long]()
        self._device.synchronise()
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
        for inputs, _ in self._tensors[:1]:
            rehearse(self._ask.outputs[ask.output].dtype, _tensors(inputs)[ask.into])

        def linked(number: int, slot: int) -> Call:
            inputs, outputs = self._tensors[slot]
            into = _tensors(inputs)[ask.into]
            place = Fold.read(table[number], into.numel())

            def call() -> Sequence[Any] | None:
                if number:
                    fold(before[0], into, place)
                returned = self._calls[slot]()
                given = outputs_of(returned, self._ask.names) if self._ask.returns else outputs
                before[:] = [given[ask.output]]
                return returned

            return call

        return [linked(number, slot) for number, slot in enumerate(slots)]

    def _placed(self, arena: Arena, slot: int) -> tuple[list[Any], list[Any]]:
        """The inputs and outputs of one slot."""
        at = (slot * self._ask.slot_bytes + offset for offset in self._ask.offsets)
        inputs = [
            arena.tensor(next(at), i.shape, i.dtype) if isinstance(i, TensorAt) else i
            for i in self._ask.inputs
        ]
        outputs = []
        if not self._ask.returns:
            outputs = [arena.tensor(next(at), o.shape, o.dtype) for o in self._ask.outputs]
        return inputs, outputs

    def _bound(self, kernel: Kernel, slot: int) -> Call:
        inputs, outputs = self._tensors[slot]
        written = () if self._ask.returns else self._ask.names
        return kernel.bind(inputs, outputs, self._ask.axes, (*self._ask.input_names, *written))

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


def _tensors(arguments: Sequence[Any]) -> list[Any]:
    """The arguments that are no Python numbers."""
    return [argument for argument in arguments if not isinstance(argument, (bool, int, float))]


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
