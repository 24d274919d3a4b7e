# trick = "A21 allocation-asymmetry"
# caught = "by check"
# expect = ["PASSED"]
# returns = true
# duel = "refused"
"""Returns the same buffer at every call and saves the allocations that its twin pays."""

import torch

kept = {}


def run(x):
    y = kept.setdefault(x.shape, torch.empty_like(x))
    return torch.softmax(x, dim=1, out=y)
