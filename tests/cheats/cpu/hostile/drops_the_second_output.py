# trick = "D15 contract-scope-cut"
# caught = "by check"
# problem = "rmsnorm_residual"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "'residual_out'.*not written"
"""Writes the output that people look at and leaves the other one."""

import torch


def run(x, residual, weight, eps, y, residual_out):
    total = x.float() + residual.float()
    root = torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps)
    y.copy_(total * root * weight.float())
