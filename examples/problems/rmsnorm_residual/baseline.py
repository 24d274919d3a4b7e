"""Residual RMSNorm by torch's add and its rms_norm."""

import torch


def run(x, residual, weight, eps, y, residual_out):
    torch.add(x, residual, out=residual_out)
    y.copy_(torch.nn.functional.rms_norm(residual_out, weight.shape, weight, eps))
