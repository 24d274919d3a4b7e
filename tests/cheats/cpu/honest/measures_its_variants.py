# trick = "a clock of its own, to choose between variants"
# expect = ["PASSED"]
# duel = "no refusal"
"""Times two variants at the first call of each shape and keeps the faster one."""

import time

import torch

chosen = {}


def whole(x, y):
    torch.softmax(x, dim=1, out=y)


def steps(x, y):
    torch.exp(x - x.amax(dim=1, keepdim=True), out=y)
    y.div_(y.sum(dim=1, keepdim=True))


def took_s(variant, x, y):
    start = time.perf_counter()
    variant(x, y)
    return time.perf_counter() - start


def run(x, y):
    if x.shape not in chosen:
        chosen[x.shape] = min((whole, steps), key=lambda variant: took_s(variant, x, y))
    chosen[x.shape](x, y)
