"""Slots: the inputs and outputs of single calls, in memory that the referee owns.

Each slot has its own inputs and its own outputs. Before anything runs, every slot gets fresh
random inputs, and its outputs are poisoned (`sides`); no slot is called twice in between.

    Definition × Workload -> Layout;  Layout × Arena -> Slots

Start at `Slots.refresh`. Not here: what is right (`reference`, `compare`), the clock (`clock`).
"""

from collections.abc import Iterable, Sequence
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

ALIGNMENT_BYTES = 256


@dataclass(frozen=True)
class Layout:
    """Where the tensors of one slot lie, relative to its start."""

    definition: Definition
    workload: Workload
    sizes: dict[str, int]
    offsets: tuple[int, ...]
    """Of the tensor inputs, then of the outputs. Bytes."""
    slot_bytes: int

    @classmethod
    def of(cls, definition: Definition, workload: Workload) -> "Layout":
        """Place every tensor at its own aligned offset."""
        sizes = definition.resolve(workload.axes)
        offsets, at = [], 0
        for spec in _tensors(definition):
            offsets.append(at)
            count = torch.Size(concrete_shape(spec, sizes)).numel()
            size = count * torch_dtype(spec.dtype).itemsize
            at += -(-max(size, 1) // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        return cls(definition, workload, sizes, tuple(offsets), at)


class Slots:
    """A number of slots in one arena."""

    def __init__(
        self, layout: Layout, arena: Arena, count: int, reference: Reference, folder: str
    ) -> None:
        self.layout = layout
        self.count = count
        self._folder = folder
        self._reference = reference
        self._tensors = [self._views(arena, slot) for slot in range(count)]
        self._scalars: list[Argument] = []

    def refresh(
        self, slots: Iterable[int], seed: int, input_class: InputClass = InputClass.LISTED
    ) -> None:
        """Draw fresh inputs for these slots, in order; equal seeds give equal inputs.

        Random scalars keep their first values: they are bound once for all slots.
        """
        generator = torch.Generator(device=self._tensors[0][0].device).manual_seed(seed)
        names = [n for n, s in self.layout.definition.inputs.items() if s.shape is not None]
        for slot in slots:
            arguments = inputs.fill(
                self.layout.definition,
                self.layout.workload,
                self.layout.sizes,
                dict(zip(names, self.inputs(slot), strict=True)),
                generator=generator,
                input_class=input_class,
                custom=self._reference.custom,
                folder=self._folder,
            )
            self._scalars = self._scalars or list(arguments)

    def copy(self, other: "Slots", slots: Iterable[int]) -> None:
        """Take the inputs of another side's slots."""
        for slot in slots:
            for mine, theirs in zip(self.inputs(slot), other.inputs(slot), strict=True):
                mine.copy_(theirs)
        self._scalars = other._scalars

    def inputs(self, slot: int) -> list[Tensor]:
        """The tensor inputs of a slot."""
        return self._tensors[slot][: self._tensor_inputs()]

    def outputs(self, slot: int) -> list[Tensor]:
        """The outputs of a slot."""
        return self._tensors[slot][self._tensor_inputs() :]

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
            slots=tuple(
                tuple(slot * self.layout.slot_bytes + o for o in self.layout.offsets[:kept])
                for slot in range(self.count)
            ),
            axes=sizes,
        )

    def _views(self, arena: Arena, slot: int) -> list[Tensor]:
        start, sizes = slot * self.layout.slot_bytes, self.layout.sizes
        return [
            arena.tensor(start + offset, concrete_shape(spec, sizes), spec.dtype)
            for spec, offset in zip(
                _tensors(self.layout.definition), self.layout.offsets, strict=True
            )
        ]

    def _tensor_inputs(self) -> int:
        return len(self.layout.offsets) - len(self.layout.definition.outputs)


def _tensors(definition: Definition) -> Sequence[TensorSpec]:
    given = [spec for spec in definition.inputs.values() if spec.shape is not None]
    return [*given, *definition.outputs.values()]


def _at(spec: TensorSpec, sizes: dict[str, int]) -> TensorAt:
    return TensorAt(shape=concrete_shape(spec, sizes), dtype=spec.dtype)
