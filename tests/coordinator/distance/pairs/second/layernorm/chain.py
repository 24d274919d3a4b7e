"""Layer norm, written out."""

import torch


def run(x, weight, bias, y):
    mean = x.mean(dim=-1, keepdim=True)
    centred = x - mean
    variance = (centred * centred).mean(dim=-1, keepdim=True)
    factor = torch.rsqrt(variance + 1e-5)
    y.copy_(centred * factor * weight + bias)
