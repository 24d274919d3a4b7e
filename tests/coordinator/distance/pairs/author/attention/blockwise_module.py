from typing import NamedTuple

import torch
from torch import nn


class Running(NamedTuple):
    high: torch.Tensor
    mass: torch.Tensor
    mixed: torch.Tensor


class Streaming(nn.Module):
    def __init__(self, span: int = 128):
        super().__init__()
        self.span = span

    def start(self, q):
        shape = q.shape[:-1]
        return Running(q.new_full(shape, -1e30).float(), q.new_zeros(shape).float(), torch.zeros_like(q).float())

    @staticmethod
    def advance(state, scores, values):
        high = torch.max(state.high, scores.max(-1).values)
        weights = scores.sub(high.unsqueeze(-1)).exp_()
        keep = (state.high - high).exp()
        mass = torch.addcmul(weights.sum(-1), state.mass, keep)
        mixed = state.mixed.mul(keep.unsqueeze(-1)).add_(torch.einsum("bhqk,bhkd->bhqd", weights, values.float()))
        return Running(high, mass, mixed)

    def forward(self, q, k, v):
        scaled = q * q.size(-1) ** -0.5
        state = self.start(q)
        where = torch.arange(q.size(2), device=q.device)
        for at, (keys, values) in enumerate(zip(k.split(self.span, 2), v.split(self.span, 2))):
            scores = torch.einsum("bhqd,bhkd->bhqk", scaled, keys).float()
            columns = where[at * self.span:at * self.span + keys.size(2)]
            scores = torch.where(columns[None] <= where[:, None], scores, scores.new_tensor(-1e30))
            state = self.advance(state, scores, values)
        return state.mixed / state.mass.unsqueeze(-1)


@torch.no_grad()
def run(q, k, v, o):
    o.copy_(Streaming()(q, k, v))
