import torch
from torch import Tensor
def _merge(top: Tensor, mass: Tensor, sums: Tensor, scores: Tensor, values: Tensor):
    higher = torch.max(top, scores.max(dim=-1, keepdim=True).values)
    weights = scores.sub_(higher).exp2_()
    shrink = (top - higher).exp2_()
    mass.mul_(shrink).add_(weights.sum(-1, True))
    sums.mul_(shrink).baddbmm_(weights, values)
    return higher, mass, sums
@torch.no_grad()
def run(query, key, value, result):
    query = query * (1.4427 / query.size(-1) ** 0.5)
    top = query.new_full((*query.shape[:2], 1), float("-inf"))
    mass = query.new_zeros((*query.shape[:2], 1))
    sums = torch.zeros_like(query)
    for keys, values in zip(key.split(512, 1), value.split(512, 1)):
        top, mass, sums = _merge(top, mass, sums, torch.bmm(query, keys.mT), values)
    torch.div(sums, mass, out=result)
