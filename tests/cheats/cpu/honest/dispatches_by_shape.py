# trick = "different code for different shapes"
# expect = ["PASSED"]
# duel = "no refusal"
"""Short rows and long rows take different roads, both right."""

import torch


def short(x, y):
    torch.softmax(x, dim=1, out=y)


def long(x, y):
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y.div_(y.sum(dim=1, keepdim=True))


def run(x, y):
    (short if x.shape[1] <= 1024 else long)(x, y)
