"""The product as a sum over slices of the inner dimension, which bounds the rounding of each."""

import torch
from torch import Tensor

SLICE = 512


@torch.no_grad()
def run(lhs: Tensor, rhs: Tensor, out: Tensor) -> None:
    columns = lhs.to(torch.float32).split(SLICE, dim=1)
    rows = rhs.to(torch.float32).split(SLICE, dim=0)
    acc = lhs.new_zeros(out.size(), dtype=torch.float32)
    at = 0
    while at < len(columns):
        acc = acc.add(columns[at] @ rows[at])
        at += 1
    out[:] = acc.type(out.dtype)
