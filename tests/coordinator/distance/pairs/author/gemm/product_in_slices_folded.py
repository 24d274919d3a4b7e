from functools import reduce

import torch


class Accumulator:
    def __init__(self, like):
        self.total = torch.zeros(like.shape, dtype=torch.float32, device=like.device)

    def take(self, pair):
        torch.addmm(self.total, *pair, out=self.total)
        return self


@torch.no_grad()
def run(a, b, c):
    wide_a, wide_b = (t.to(torch.float32) for t in (a, b))
    pairs = zip(wide_a.split(512, dim=1), wide_b.split(512, dim=0))
    final = reduce(lambda acc, pair: acc.take(pair), pairs, Accumulator(c))
    c.copy_(final.total)
