# trick = "F24 exhaustion"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "memory|signal"
"""Takes more and more memory while it is timed, so that a check might be left out."""

import torch

kept = []


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    kept.append(1)
    if len(kept) > 12:
        kept.append(torch.zeros(2**28))
