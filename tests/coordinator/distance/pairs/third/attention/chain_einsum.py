"""Einstein-summation attention: a fundamentally different tensor-contraction view of the problem."""
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class Geometry:
    length: int
    temperature: float

    @classmethod
    def of(cls, queries: Tensor) -> "Geometry":
        return cls(length=queries.size(2), temperature=queries.size(3) ** 0.5)


class Attention(torch.nn.Module):
    @staticmethod
    def affinity(queries: Tensor, keys: Tensor, geometry: Geometry) -> Tensor:
        return torch.einsum("bhqd,bhkd->bhqk", queries, keys).div_(geometry.temperature)

    @staticmethod
    def future(geometry: Geometry, device) -> Tensor:
        steps = torch.arange(geometry.length, device=device)
        return steps[None, :] > steps[:, None]

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        geometry = Geometry.of(queries)
        logits = self.affinity(queries, keys, geometry)
        hidden = self.future(geometry, queries.device)
        logits = torch.where(hidden, torch.full_like(logits, -float("inf")), logits)
        weights = F.softmax(logits, -1)
        return torch.einsum("bhqk,bhkd->bhqd", weights, values)


_MODULE = Attention()


@torch.no_grad()
def run(q, k, v, o):
    result = _MODULE(q, k, v)
    o[...] = result
