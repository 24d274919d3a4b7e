"""Slots: the inputs and outputs of single calls, in memory that the referee owns.

Each slot has its own inputs and its own outputs. Before anything runs, every slot gets fresh
random inputs, and its outputs are poisoned (`sides`); no slot is called twice in between.

    Definition × Workload -> Layout;  Layout × Arena -> Slots

Start at `Slots.refresh`. Not here: what is right (`reference`, `compare`), the clock (`clock`).
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from guard.asks import BindAsk, TensorAt
from guard.domain.problem import Definition, TensorSpec, Workload, concrete_shape
from guard.domain.solution import Solution
from guard.ports import Arena
from guard.referee import inputs
from guard.referee.float64 import Argument
from guard.referee.inputs import InputClass
from guard.referee.reference import Reference, torch_dtype
from guard.referee.rows import Rows, of_columns

ALIGNMENT_BYTES = 256
DRAW_BYTES = {"cpu": 32 * 2**20}
"""Inputs drawn at once by kind of device: small slots one by one take much longer than their size
asks for."""
MOST_DRAW_BYTES = 256 * 2**20
"""The same on any other device."""
SPARE = 16
"""Room in every slot for gaps between its tensors, in units of `ALIGNMENT_BYTES`."""


@dataclass(frozen=True)
class Layout:
    """Where the tensors of one slot lie, relative to its start."""

    definition: Definition
    workload: Workload
    sizes: dict[str, int]
    offsets: tuple[int, ...]
    """Of the tensor inputs, then of the outputs. Bytes."""
    slot_bytes: int
    """The same for every layout of a workload."""

    @classmethod
    def of(cls, definition: Definition, workload: Workload) -> "Layout":
        """Place every tensor at its own aligned offset, behind a gap that nobody can foresee.

        A layout is drawn for every binding, so no place within a slot says what lies there.
        """
        sizes = definition.resolve(workload.axes)
        specs = _tensors(definition)
        random = secrets.SystemRandom()
        gaps = sorted(random.randint(0, SPARE) for _ in specs)
        offsets, at = [], 0
        for spec, gap in zip(specs, gaps, strict=True):
            offsets.append(at + gap * ALIGNMENT_BYTES)
            count = torch.Size(concrete_shape(spec, sizes)).numel()
            size = count * torch_dtype(spec.dtype).itemsize
            at += -(-max(size, 1) // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        return cls(definition, workload, sizes, tuple(offsets), at + SPARE * ALIGNMENT_BYTES)


class Slots:
    """A number of slots in one arena."""

    def __init__(
        self, layout: Layout, arena: Arena, count: int, reference: Reference, folder: str
    ) -> None:
        self.layout = layout
        self.count = count
        self._folder = folder
        self._reference = reference
        self._columns = self._mapped(arena)
        self._scalars: list[Argument] = []

    def refresh(
        self, slots: Sequence[int], seed: int, input_class: InputClass = InputClass.LISTED
    ) -> None:
        """Draw fresh inputs for these consecutive slots; equal slots and seeds give equal ones."""
        device = self._columns[0].device
        generator = torch.Generator(device=device).manual_seed(seed)
        for group in self._groups(slots):
            placed = self.inputs(group[0])
            if len(group) > 1:
                # Drawing into contiguous memory and copying is faster than drawing into strides.
                placed = [
                    torch.empty_like(c, memory_format=torch.contiguous_format)
                    for c in self._input_columns(group)
                ]
            self._fill(placed, generator, input_class)
            if len(group) > 1:
                for column, values in zip(self._input_columns(group), placed, strict=True):
                    column.copy_(values)

    def draw_scalars(self, seed: int) -> None:
        """Draw the random scalars, which are bound once for all slots. No slot is written to."""
        if all(spec.shape is not None for spec in self.layout.definition.inputs.values()):
            return
        device = self._columns[0].device
        generator = torch.Generator(device=device).manual_seed(seed)
        elsewhere = [torch.empty_like(tensor) for tensor in self.inputs(0)]
        self._scalars = self._fill(elsewhere, generator, InputClass.LISTED)

    def copy(self, other: "Slots", slots: Sequence[int]) -> None:
        """Take the inputs of another side's consecutive slots."""
        mine, theirs = self._input_columns(slots), other._input_columns(slots)
        for column, values in zip(mine, theirs, strict=True):
            column.copy_(values)
        self._scalars = other._scalars

    def inputs(self, slot: int) -> list[Tensor]:
        """The tensor inputs of a slot."""
        return [column[slot] for column in self._columns[: self._tensor_inputs()]]

    def outputs(self, slot: int) -> list[Tensor]:
        """The outputs of a slot."""
        return [column[slot] for column in self._columns[self._tensor_inputs() :]]

    def output_columns(self, slots: Sequence[int]) -> list[Tensor]:
        """Each output of these consecutive slots, with an axis of slots before its own."""
        return [_consecutive(column, slots) for column in self._columns[self._tensor_inputs() :]]

    def given(self, slots: Sequence[int]) -> Iterator[Rows]:
        """The tensor inputs of these consecutive slots."""
        return of_columns(self._input_columns(slots))

    def input_matrix(self, index: int, slots: Sequence[int]) -> Tensor:
        """One tensor input of these consecutive slots, a row each; a view."""
        column = _consecutive(self._columns[index], slots)
        return column.view(len(slots), column[0].numel())

    def arguments(self, slot: int) -> list[Argument]:
        """All inputs of a slot in definition order, scalars included."""
        tensors = iter(self.inputs(slot))
        specs = self.layout.definition.inputs.values()
        scalars = self._scalars or [0] * len(specs)
        return [
            next(tensors) if spec.shape is not None else scalar
            for spec, scalar in zip(specs, scalars, strict=True)
        ]

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
        )

    def _fill(
        self, placed: Sequence[Tensor], generator: torch.Generator, input_class: InputClass
    ) -> list[Argument]:
        layout = self.layout
        names = [n for n, s in layout.definition.inputs.items() if s.shape is not None]
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

    def _mapped(self, arena: Arena) -> list[Tensor]:
        """Each tensor of all slots, with an axis of slots before its own."""
        layout = self.layout
        memory = arena.tensor(0, (self.count * layout.slot_bytes,), "uint8")
        columns = []
        for spec, offset in zip(_tensors(layout.definition), layout.offsets, strict=True):
            shape, dtype = concrete_shape(spec, layout.sizes), torch_dtype(spec.dtype)
            if 0 in shape:
                columns.append(memory.new_empty((self.count, *shape), dtype=dtype))
                continue
            own = torch.empty(shape, dtype=dtype, device="meta").stride()
            steps = (layout.slot_bytes // dtype.itemsize, *own)
            elements = memory.view(dtype)
            start = offset // dtype.itemsize
            columns.append(elements.as_strided((self.count, *shape), steps, start))
        return columns

    def _tensor_inputs(self) -> int:
        return len(self.layout.offsets) - len(self.layout.definition.outputs)


def _consecutive(column: Tensor, slots: Sequence[int]) -> Tensor:
    if slots[-1] - slots[0] != len(slots) - 1:
        raise ValueError("these slots are not consecutive")
    return column[slots[0] : slots[0] + len(slots)]


def _tensors(definition: Definition) -> Sequence[TensorSpec]:
    given = [spec for spec in definition.inputs.values() if spec.shape is not None]
    return [*given, *definition.outputs.values()]


def _at(spec: TensorSpec, sizes: dict[str, int]) -> TensorAt:
    return TensorAt(shape=concrete_shape(spec, sizes), dtype=spec.dtype)
