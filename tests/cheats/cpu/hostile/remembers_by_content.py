# trick = "C4 content-hash-cache"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Always right, and fast only where an input comes twice: it never does."""

import torch

known = {}


def run(x, y):
    key = hash(x.numpy().tobytes())
    if key not in known:
        known[key] = torch.softmax(x, dim=1)
    y.copy_(known[key])
