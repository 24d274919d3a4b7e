from functools import partial, reduce
from operator import mul

import torch


def project(weight, value):
    return torch.einsum("...i,io->...o", value, weight)


def gated(value):
    return value.div(value.neg().exp().add(1))


class Block(torch.nn.Module):
    def __init__(self, *weights):
        super().__init__()
        self.gate, self.up, self.down = (partial(project, weight) for weight in weights)

    def forward(self, value):
        return self.down(reduce(mul, (gated(self.gate(value)), self.up(value))))


@torch.no_grad()
def run(x, w1, w2, w3, y):
    torch.add(Block(w1, w2, w3)(x), 0.0, out=y)
