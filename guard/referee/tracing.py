"""Note the operations of a reference while it runs on meta tensors: no device, no memory.

    run on meta tensors -> Recorder.operations -> needed -> those that some output depends on

Start at `Recorder`. Not here: what an operation costs (`costs`), what is counted (`work`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry


@dataclass(frozen=True)
class Operation:
    """One operation of the reference, by the storages that it touches."""

    name: str
    arguments: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    is_view: bool
    is_pointwise: bool
    flops: float
    """Of a matrix product; zero for everything else."""

    @property
    def is_matrix(self) -> bool:
        """Whether it is a matrix product, a convolution or an attention."""
        return self.flops > 0


class Recorder(TorchDispatchMode):
    """Notes every operation below it. The tensors are kept, so a storage's address names it."""

    def __init__(self) -> None:
        base: Any = super()
        base.__init__()
        self.operations: list[Operation] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run it and write down what it was."""
        named = kwargs or {}
        result = func(*args, **named)
        counted = flop_registry.get(func.overloadpacket)
        self.operations.append(
            Operation(
                name=func.overloadpacket.__name__.removesuffix("_"),
                arguments=tensors_in((args, named)),
                results=tensors_in(result),
                is_view=bool(func.is_view),
                is_pointwise=torch.Tag.pointwise in func.tags,
                flops=float(counted(*args, **named, out_val=result)) if counted else 0.0,
            )
        )
        return result


def needed(operations: Sequence[Operation], outputs: Sequence[Tensor]) -> list[Operation]:
    """The operations that some output depends on, in order."""
    wanted = {storage(tensor) for tensor in outputs}
    found = []
    for operation in reversed(operations):
        if wanted & {storage(tensor) for tensor in operation.results}:
            wanted |= {storage(tensor) for tensor in operation.arguments}
            found.append(operation)
    return found[::-1]


def storage(tensor: Tensor) -> int:
    """What names the memory that a tensor would lie in; views share it."""
    return int(tensor.untyped_storage()._cdata)


def tensors_in(tree: Any) -> tuple[Tensor, ...]:
    """All tensors of nested arguments, in order."""
    return tuple(leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor))
