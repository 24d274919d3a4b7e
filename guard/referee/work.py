"""Count what one call of a reference has to do, without a device: it runs on meta tensors.

    Reference × Workload -> operations that its outputs depend on -> Work

Everything fused: inputs are read once, outputs written once, views and casts cost nothing, and what
no output depends on is not counted. In doubt less is counted, since a bound must not lie above the
truth. Start at `count`. Not here: how operations are noted (`tracing`), what each costs
(`costs`), what follows from the amounts (`guard.bound`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from guard.bound import WIDTHS
from guard.domain.bound import Work
from guard.domain.problem import Definition, ScalarInput, TensorSpec, Workload, concrete_shape
from guard.referee import costs
from guard.referee.float64 import Argument
from guard.referee.inputs import as_number
from guard.referee.reference import Reference, ReferenceFailed, torch_dtype
from guard.referee.tracing import Operation, Recorder, needed, storage

MARKED_ELEMENTS = 2**26
"""Of a larger input the largest view is counted, not the union of all; a byte each."""
MASKED = 0.5
"""Share of the arithmetic that counts where a mask may make the rest needless: a causal one leaves
a little more than half."""


def count(reference: Reference, workload: Workload) -> Work:
    """The work of one call on this workload.

    A reference that cannot run without data gets its outputs counted, and its inputs unless an
    index may choose among their rows; the note says so.
    """
    definition = reference.definition
    sizes = definition.resolve(workload.axes)
    tensors = {
        name: torch.empty(concrete_shape(spec, sizes), dtype=torch_dtype(spec.dtype), device="meta")
        for name, spec in definition.inputs.items()
        if spec.shape is not None
    }
    recorder = Recorder()
    try:
        arguments = _arguments(definition, workload, tensors)
        # What the reference makes itself must lie where its inputs do.
        with torch.device("meta"), recorder:
            outputs = reference.run(arguments, sizes)
    except ReferenceFailed as failure:
        return _untraced(definition, sizes, tensors, str(failure))
    live = needed(recorder.operations, outputs)
    return _Account(definition, workload, tensors, live, outputs).work()


@dataclass(frozen=True)
class _Account:
    definition: Definition
    workload: Workload
    tensors: Mapping[str, Tensor]
    live: Sequence[Operation]
    outputs: Sequence[Tensor]

    def work(self) -> Work:
        """All amounts, and whether any of them is beyond dispute."""
        masked = self._masked()
        share = MASKED if masked else 1.0
        matrix: defaultdict[str, float] = defaultdict(float)
        simple = special = 0.0
        for operation in self.live:
            if operation.is_matrix:
                matrix[self._path(operation)] += operation.flops * share
            elif not operation.is_view:
                ordinary, unusual = costs.of(operation)
                simple, special = simple + ordinary * share, special + unusual * share
        drawn = not masked and self._drawn()
        return Work(
            read_bytes=sum(self._read_bytes(tensor) for tensor in self.tensors.values()),
            written_bytes=sum(tensor.nbytes for tensor in self.outputs),
            matrix_flops=dict(matrix),
            simple_ops=simple,
            special_ops=special,
            needs_bytes=drawn and costs.reads_all(self.live),
            needs_flops=drawn and self._is_one_product(),
            note="a mask may spare half of the arithmetic, so half is counted" if masked else "",
        )

    def _masked(self) -> bool:
        """Whether a mask may make much of the arithmetic needless."""
        named = any("mask" in name for name in self.definition.inputs)
        return named or any(operation.name in costs.MASKING for operation in self.live)

    def _drawn(self) -> bool:
        """Whether all inputs are random numbers, of which nothing is known before a call."""
        specs = self.definition.inputs.values()
        return all(s.type in ("random", "scalar") for s in self.workload.inputs.values()) and all(
            torch_dtype(spec.dtype).is_floating_point for spec in specs if spec.shape is not None
        )

    def _path(self, operation: Operation) -> str:
        """The narrowest dtype among the operands and the problem's inputs.

        A reference often widens its inputs before a product, which a kernel need not do.
        """
        floats = [t for t in (*operation.arguments, *self.tensors.values()) if _is_operand(t)]
        names = [str(tensor.dtype).removeprefix("torch.") for tensor in floats]
        return min(names, key=lambda name: WIDTHS[name], default="float32")

    def _read_bytes(self, tensor: Tensor) -> int:
        """Bytes of an input that some operation reads; of a gathered table as many as come out."""
        views: dict[tuple[Any, ...], Tensor] = {}
        gathered = 0
        for operation in self.live:
            mine = [t for t in operation.arguments if storage(t) == storage(tensor)]
            if not mine or operation.is_view:
                continue
            if operation.name in costs.GATHERING and mine[0] is operation.arguments[0]:
                gathered += sum(result.numel() for result in operation.results)
                mine = mine[1:]
            views |= {(t.shape, t.stride(), t.storage_offset()): t for t in mine}
        touched = _touched(tensor, list(views.values())) + gathered
        return min(touched, tensor.numel()) * tensor.element_size()

    def _is_one_product(self) -> bool:
        """Whether all there is to do is one matrix product of two inputs, kept in full."""
        products = [operation for operation in self.live if operation.is_matrix]
        if len(products) != 1 or products[0].name not in costs.PRODUCTS:
            return False
        (product,) = products
        after = self.live[self.live.index(product) + 1 :]
        if not all(o.is_view or costs.keeps_all(o) for o in after):
            return False
        if sum(t.numel() for t in self.outputs) < sum(t.numel() for t in product.results):
            return False
        operands = [self._origin(tensor) for tensor in product.arguments[-2:]]
        return None not in operands and operands[0] != operands[1]

    def _origin(self, operand: Tensor) -> str | None:
        """The input that an operand holds, moved or widened at most; each element once."""
        at = storage(operand)
        for operation in reversed(self.live):
            if at in map(storage, operation.results) and not operation.is_view:
                if operation.name not in costs.MOVES or len(operation.arguments) != 1:
                    return None
                at = storage(operation.arguments[0])
        for name, tensor in self.tensors.items():
            if storage(tensor) == at:
                return name if operand.numel() == tensor.numel() else None
        return None


def _arguments(
    definition: Definition, workload: Workload, tensors: Mapping[str, Tensor]
) -> list[Argument]:
    """Tensors without data, and numbers as the workload gives them.

    Raises:
        ReferenceFailed: a number is drawn by the definition's own generator.
    """
    found: list[Argument] = []
    for name, spec in definition.inputs.items():
        source = workload.inputs[name]
        if name in tensors:
            found.append(tensors[name])
        elif isinstance(source, ScalarInput):
            found.append(as_number(source.value, spec.dtype))
        elif source.type == "random":
            found.append(as_number(1, spec.dtype))
        else:
            raise ReferenceFailed(f"the number {name!r} is known at a call alone")
    return found


def _untraced(
    definition: Definition, sizes: Mapping[str, int], tensors: Mapping[str, Tensor], why: str
) -> Work:
    """What can be said without a run: bytes alone."""
    indexed = any(not tensor.dtype.is_floating_point for tensor in tensors.values())
    read = 0 if indexed else sum(tensor.nbytes for tensor in tensors.values())
    left_out = "the inputs and all arithmetic" if indexed else "all arithmetic"
    return Work(
        read_bytes=read,
        written_bytes=sum(_spec_bytes(spec, sizes) for spec in definition.outputs.values()),
        note=f"left out: {left_out}, since the reference needs data to run ({why})"[:300],
    )


def _spec_bytes(spec: TensorSpec, sizes: Mapping[str, int]) -> int:
    count = torch.Size(concrete_shape(spec, sizes)).numel()
    return count * torch_dtype(spec.dtype).itemsize


def _is_operand(tensor: Tensor) -> bool:
    return str(tensor.dtype).removeprefix("torch.") in WIDTHS


def _touched(tensor: Tensor, views: Sequence[Tensor]) -> int:
    """Distinct elements of a tensor that its views cover; at least those of the largest one."""
    sizes = [[n if s else 1 for n, s in zip(v.shape, v.stride(), strict=True)] for v in views]
    width = tensor.element_size()
    distinct = [
        torch.Size(size).numel() * view.element_size() // width
        for view, size in zip(views, sizes, strict=True)
    ]
    largest = min(max(distinct, default=0), tensor.numel())
    # Seen as another dtype, a view counts in other elements.
    alike = all(view.element_size() == width for view in views)
    if largest == tensor.numel() or not alike or tensor.numel() > MARKED_ELEMENTS:
        return largest
    marks = torch.zeros(tensor.numel(), dtype=torch.bool)
    for view, size in zip(views, sizes, strict=True):
        marks.as_strided(size, view.stride(), view.storage_offset()).fill_(True)
    return int(marks.sum())
