"""Slots: the inputs and outputs of single calls, in memory that the referee owns.

Each slot has its own inputs and its own outputs. Before anything runs, every slot gets fresh
random inputs, and its outputs are poisoned (`sides`); no slot is called twice in between. Inputs
that a definition marks as constant lie behind the slots, in sets that several slots share.

    Definition × Workload -> Layout;  Layout × Arena -> Slots

Start at `Slots.refresh`. Not here: what is right (`reference`, `compare`), the clock (`clock`),
how many sets there are (`constants`).
"""

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor

from guard.asks import BindAsk, SetsAt, TensorAt
from guard.domain.problem import Definition, TensorSpec, Workload, concrete_shape
from guard.domain.solution import Solution
from guard.ports import Arena
from guard.referee import inputs
from guard.referee.constants import Constants
from guard.referee.float64 import Argument
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference, torch_dtype
from guard.referee.rows import Rows, of_columns

ALIGNMENT_BYTES = 256
DRAW_BYTES = {"cpu": 32 * 2**20}
"""Inputs drawn at once by kind of device: small slots one by one take much longer than their size
asks for."""
MOST_DRAW_BYTES = 40 * 2**20
"""The same on any other device: what was just drawn is copied from the cache of a large GPU."""
SPARE = 16
"""Room in every slot for gaps between its tensors, in units of `ALIGNMENT_BYTES`."""


@dataclass(frozen=True)
class Layout:
    """Where the tensors of one slot lie, relative to its start, and those of one set."""

    definition: Definition
    workload: Workload
    sizes: dict[str, int]
    offsets: tuple[int, ...]
    """Of the tensor inputs that are not constant, then of the outputs. Bytes."""
    slot_bytes: int
    """The same for every layout of a workload, like the next but one."""
    constant_offsets: tuple[int, ...] = ()
    """Of the constant inputs in a set. Bytes."""
    set_bytes: int = 0
    order: int = field(default_factory=partial(secrets.randbits, 62))
    """Decides which slot uses which set."""

    @classmethod
    def of(cls, definition: Definition, workload: Workload) -> "Layout":
        """Place every tensor at its own aligned offset, behind a gap that nobody can foresee.

        A layout is drawn for every binding, so no place within a slot says what lies there.
        """
        sizes = definition.resolve(workload.axes)
        slot = _placed(_of_slots(definition), sizes)
        one_set = _placed(tuple(definition.constant_tensors.values()), sizes)
        return cls(definition, workload, sizes, *slot, *one_set)

    @property
    def call_bytes(self) -> int:
        """Memory of a slot with a set of its own."""
        return self.slot_bytes + self.set_bytes


class Slots:
    """A number of slots in one arena, and behind them `sets` of the constant inputs, if any."""

    def __init__(
        self,
        layout: Layout,
        arena: Arena,
        count: int,
        reference: Reference,
        folder: str,
        sets: int = 1,
    ) -> None:
        self.layout = layout
        self.count = count
        self._folder = folder
        self._reference = reference
        sets = sets if layout.set_bytes else 0
        self._sets_start = count * layout.slot_bytes
        size_bytes = self._sets_start + sets * layout.set_bytes
        memory = arena.tensor(0, (size_bytes,), "uint8")
        column = partial(_column, memory, layout.sizes)
        step = layout.slot_bytes
        specs = zip(_of_slots(layout.definition), layout.offsets, strict=True)
        self._columns = [column(spec, at, step, count) for spec, at in specs]
        shared = layout.definition.constant_tensors.values()
        specs, step = zip(shared, layout.constant_offsets, strict=True), layout.set_bytes
        placed = [column(spec, self._sets_start + at, step, sets) for spec, at in specs]
        self.constants = Constants(placed, count, layout.order)
        self._scalars: dict[str, Argument] = {}

    def refresh(
        self,
        slots: Sequence[int],
        seed: int,
        input_class: InputClass = InputClass.LISTED,
        others: Sequence["Slots"] = (),
    ) -> None:
        """Draw fresh inputs for these consecutive slots; equal slots and seeds give equal ones.

        The same slots of `others`, on the same workload, get the same values. Constant inputs are
        left as they are.
        """
        generator = torch.Generator(device=self._columns[0].device).manual_seed(seed)
        names = self.layout.definition.varying_tensors
        for group in self._groups(slots):
            targets = [one._input_columns(group) for one in (self, *others)]
            placed = self.inputs(group[0])
            if len(group) > 1:
                # Drawing into contiguous memory and copying is faster than drawing into strides.
                placed = [
                    torch.empty_like(c, memory_format=torch.contiguous_format) for c in targets[0]
                ]
            self._fill(names, placed, generator, input_class)
            for columns in targets if len(group) > 1 else targets[1:]:
                for column, values in zip(columns, placed, strict=True):
                    column.copy_(values)

    def draw_constants(
        self,
        seed: int,
        input_class: InputClass = InputClass.LISTED,
        sets: Sequence[int] | None = None,
    ) -> None:
        """Draw these sets of constant inputs afresh (all by default), and lay them out."""
        generator = torch.Generator(device=self._columns[0].device).manual_seed(seed)
        names = self.layout.definition.constant_tensors
        for number in range(self.constants.count) if sets is None else sets:
            self._fill(names, self.constants.own(number), generator, input_class)
            self.constants.lay_out(number)

    def draw_scalars(self, seed: int) -> None:
        """Draw the random scalars, which are bound once for all slots. No slot is written to."""
        specs = self.layout.definition.inputs
        names = [name for name, spec in specs.items() if spec.shape is None]
        if not names:
            return
        device = self._columns[0].device
        generator = torch.Generator(device=device).manual_seed(seed)
        given = self.layout.definition.varying_tensors
        elsewhere = [torch.empty_like(tensor) for tensor in self.inputs(0)]
        drawn = self._fill(given, elsewhere, generator, InputClass.LISTED)
        passed = (name for name in specs if name in names or name in given)
        self._scalars = dict(zip(passed, drawn, strict=True))

    def inputs(self, slot: int) -> list[Tensor]:
        """The tensor inputs of a slot that are its own: all but the constant ones."""
        return [column[slot] for column in self._columns[: self._tensor_inputs()]]

    def outputs(self, slot: int) -> list[Tensor]:
        """The outputs of a slot."""
        return [column[slot] for column in self._columns[self._tensor_inputs() :]]

    def output_columns(self, slots: Sequence[int]) -> list[Tensor]:
        """Each output of these consecutive slots, with an axis of slots before its own."""
        return [_consecutive(column, slots) for column in self._columns[self._tensor_inputs() :]]

    def given(self, slots: Sequence[int]) -> Iterator[Rows]:
        """The inputs of these consecutive slots, as `inputs` has them."""
        return of_columns(self._input_columns(slots))

    def input_matrix(self, index: int, slots: Sequence[int]) -> Tensor:
        """One of the inputs of these consecutive slots, a row each; a view."""
        column = _consecutive(self._columns[index], slots)
        return column.view(len(slots), column[0].numel())

    def arguments(self, slot: int) -> list[Argument]:
        """All inputs of a slot in definition order, scalars included.

        Constant ones are the referee's own copies, which no runner can reach.
        """
        definition = self.layout.definition
        found: dict[str, Argument] = dict(self._scalars)
        found |= zip(definition.varying_tensors, self.inputs(slot), strict=True)
        if self.constants.count:
            own = self.constants.own(self.constants.of_slot[slot])
            found |= zip(definition.constant_tensors, own, strict=True)
        return [found.get(name, 0) for name in definition.inputs]

    def bind(self, solution: Solution) -> BindAsk:
        """The ask that gives a runner these slots."""
        definition, sizes = self.layout.definition, self.layout.sizes
        passed: list[Any] = []
        for spec, argument in zip(definition.inputs.values(), self.arguments(0), strict=True):
            passed.append(_at(spec, sizes) if spec.shape is not None else argument)
        returns = not solution.destination_passing_style
        kept = len(self.layout.offsets) - (len(definition.outputs) if returns else 0)
        return BindAsk(
            inputs=tuple(passed),
            outputs=tuple(_at(spec, sizes) for spec in definition.outputs.values()),
            input_names=tuple(definition.inputs),
            names=tuple(definition.outputs),
            returns=returns,
            offsets=self.layout.offsets[:kept],
            slot_bytes=self.layout.slot_bytes,
            count=self.count,
            axes=sizes,
            constants=self._sets_at() if self.constants.count else None,
        )

    def _sets_at(self) -> SetsAt:
        return SetsAt(
            names=tuple(self.layout.definition.constant_tensors),
            start=self._sets_start,
            set_bytes=self.layout.set_bytes,
            offsets=self.layout.constant_offsets,
            of_slot=self.constants.of_slot,
        )

    def _fill(
        self,
        names: Collection[str],
        placed: Sequence[Tensor],
        generator: torch.Generator,
        input_class: InputClass,
    ) -> list[Argument]:
        layout = self.layout
        return inputs.fill(
            layout.definition,
            layout.workload,
            layout.sizes,
            dict(zip(names, placed, strict=True)),
            generator=generator,
            input_class=input_class,
            custom=self._reference.custom,
            folder=self._folder,
        )

    def _groups(self, slots: Sequence[int]) -> Iterator[Sequence[int]]:
        """Slots that are drawn at once; one by one where the problem's own generator draws."""
        drawn = sum(t.numel() * t.itemsize for t in self.inputs(slots[0]))
        whole = not inputs.is_custom(self.layout.workload)
        most = DRAW_BYTES.get(self._columns[0].device.type, MOST_DRAW_BYTES)
        size = max(1, most // max(1, drawn)) if whole else 1
        for start in range(0, len(slots), size):
            yield slots[start : start + size]

    def _input_columns(self, slots: Sequence[int]) -> list[Tensor]:
        return [_consecutive(column, slots) for column in self._columns[: self._tensor_inputs()]]

    def _tensor_inputs(self) -> int:
        return len(self.layout.offsets) - len(self.layout.definition.outputs)


def _consecutive(column: Tensor, slots: Sequence[int]) -> Tensor:
    if slots[-1] - slots[0] != len(slots) - 1:
        raise ValueError("these slots are not consecutive")
    return column[slots[0] : slots[0] + len(slots)]


def _of_slots(definition: Definition) -> tuple[TensorSpec, ...]:
    """What each slot has of its own."""
    return (*definition.varying_tensors.values(), *definition.outputs.values())


def _placed(specs: Sequence[TensorSpec], sizes: Mapping[str, int]) -> tuple[tuple[int, ...], int]:
    """Offsets of these tensors, and the bytes that they take together."""
    random = secrets.SystemRandom()
    gaps = sorted(random.randint(0, SPARE) for _ in specs)
    offsets, at = [], 0
    for spec, gap in zip(specs, gaps, strict=True):
        offsets.append(at + gap * ALIGNMENT_BYTES)
        count = torch.Size(concrete_shape(spec, sizes)).numel()
        size = count * torch_dtype(spec.dtype).itemsize
        at += -(-max(size, 1) // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
    return tuple(offsets), at + SPARE * ALIGNMENT_BYTES if specs else 0


def _column(
    memory: Tensor, sizes: Mapping[str, int], spec: TensorSpec, start: int, step: int, count: int
) -> Tensor:
    """One tensor of all slots or sets, with an axis of these before its own; a view."""
    shape, dtype = concrete_shape(spec, sizes), torch_dtype(spec.dtype)
    if 0 in shape:
        return memory.new_empty((count, *shape), dtype=dtype)
    own = torch.empty(shape, dtype=dtype, device="meta").stride()
    steps = (step // dtype.itemsize, *own)
    return memory.view(dtype).as_strided((count, *shape), steps, start // dtype.itemsize)


def _at(spec: TensorSpec, sizes: dict[str, int]) -> TensorAt:
    return TensorAt(shape=concrete_shape(spec, sizes), dtype=spec.dtype)
