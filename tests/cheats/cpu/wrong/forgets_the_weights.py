# trick = "weights left out, which are ones in the listed inputs"
# problem = "rmsnorm_residual"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "within tolerance|further off"
"""Forgets to multiply by the weights."""

import torch


def run(x, residual, weight, eps, y, residual_out):
    total = x.float() + residual.float()
    residual_out.copy_(total)
    y.copy_(total * torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps))
