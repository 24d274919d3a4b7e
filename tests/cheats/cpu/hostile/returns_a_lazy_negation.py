# trick = "B10 lazy-views"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
# returns = true
"""Returns a tensor whose last step is only noted in a flag."""

import torch


def run(x):
    return torch._neg_view(torch.softmax(x, dim=1).neg_())
