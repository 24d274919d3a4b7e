# trick = "A21 allocation-asymmetry"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# returns = true
"""Returns the same buffer at every call."""

import torch

kept = {}


def run(x):
    if x.shape not in kept:
        kept[x.shape] = torch.empty_like(x)
    return torch.softmax(x, dim=1, out=kept[x.shape])
