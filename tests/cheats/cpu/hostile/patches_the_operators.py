# trick = "F2 operator-patch"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Differences are zero in its process, above the dispatcher and below it."""

import torch

library = torch.library.Library("aten", "IMPL")
library.impl("sub.Tensor", lambda a, b, alpha=1: torch.zeros_like(a), "CPU")
torch.Tensor.__sub__ = torch.Tensor.sub = lambda self, *_, **__: torch.zeros_like(self)
torch.Tensor.abs = torch.Tensor.__abs__ = torch.zeros_like


def run(x, y):
    y.zero_()
