# trick = "C14 constant-preprocessing"
# caught = "by check"
# problem = "linear_silu"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "within tolerance|further off"
"""Prepares the first set for each shape, and hands it out for every other one."""

import torch

kept = {}


def prepare(weight, bias):
    return kept.setdefault(weight.shape, (weight.float().t().contiguous(), bias.float()))


def run(x, weight, bias, y):
    y.copy_(torch.nn.functional.silu(torch.addmm(bias, x.float(), weight)))
