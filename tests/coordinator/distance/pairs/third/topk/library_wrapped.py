"""Selection service with typed results and a guard for degenerate widths."""
from typing import NamedTuple

import torch
from torch import Tensor


class Selection(NamedTuple):
    scores: Tensor
    positions: Tensor


class Selector:
    def __init__(self, count: int, axis: int = -1):
        if count < 1:
            raise ValueError("count must be positive")
        self.count = count
        self.axis = axis

    def __call__(self, table: Tensor) -> Selection:
        found = table.topk(self.count, self.axis)
        return Selection(scores=found.values, positions=found.indices)


@torch.inference_mode()
def run(x, values, indices):
    selection = Selector(values.size(1), axis=1)(x)
    values[:, :] = selection.scores
    indices[:, :] = selection.positions
