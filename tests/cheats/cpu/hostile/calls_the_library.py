# trick = "E1 library-fallback"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Dresses one call of the library up as a kernel of its own."""

import torch
import torch.nn.functional as functional


class FusedRowKernel(torch.nn.Module):
    def forward(self, x):
        return functional.softmax(x, dim=-1, dtype=torch.float32)


kernel = FusedRowKernel()


def run(x, y):
    y.copy_(kernel(x))
