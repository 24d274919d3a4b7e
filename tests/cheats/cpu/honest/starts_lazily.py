# trick = "state that the first call makes"
# expect = ["PASSED"]
# duel = "no refusal"
"""Does its set-up in the first call, not when it is imported."""

import functools

import torch


@functools.cache
def kernel():
    module = torch.nn.Softmax(dim=1)
    return module.eval()


def run(x, y):
    with torch.no_grad():
        y.copy_(kernel()(x))
