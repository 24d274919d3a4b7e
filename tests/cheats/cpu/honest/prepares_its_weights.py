# trick = "keeps a copy of an input, as it may of one that is constant"
# problem = "linear_silu"
# expect = ["PASSED"]
"""Widens and transposes constant weights once for each set."""

import torch


def prepare(weight, bias):
    return weight.float().t().contiguous(), bias.float()


def run(x, weight, bias, y):
    y.copy_(torch.nn.functional.silu(torch.addmm(bias, x.float(), weight)))
