# trick = "C14 constant-preprocessing"
# caught = "by check"
# problem = "rmsnorm_residual"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "within tolerance|further off"
"""Converts the weights once, as if they were constant."""

import torch

kept = {}


def run(x, residual, weight, eps, y, residual_out):
    gain = kept.setdefault(weight.shape, weight.float())
    total = x.float() + residual.float()
    root = torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps)
    residual_out.copy_(total)
    y.copy_(total * root * gain)
