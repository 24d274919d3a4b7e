# trick = "a second problem, two outputs, scratch of another type"
# problem = "rmsnorm_residual"
# expect = ["PASSED"]
"""Converts the weights in every call, since nothing says that they are constant."""

import torch


def run(x, residual, weight, eps, y, residual_out):
    total = x.float() + residual.float()
    root = torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps)
    residual_out.copy_(total)
    y.copy_(total * root * weight.float())
