# trick = "D14 algorithm-substitution"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""A sparse projection in the place of the exponentials: it sums to one as well."""

import torch


def run(x, y):
    ordered = x.sort(dim=1, descending=True).values
    places = torch.arange(1, x.shape[1] + 1)
    sums = ordered.cumsum(dim=1)
    last = (1 + places * ordered > sums).sum(dim=1, keepdim=True)
    level = (sums.gather(1, last - 1) - 1) / last
    torch.clamp(x - level, min=0, out=y)
