import torch

EPSILON = 1e-6


def run(x, weight, y):
    """RMS norm by elementary operators."""
    wide = x.float()
    mean_square = wide.pow(2).mean(dim=-1, keepdim=True)
    normed = wide * torch.rsqrt(mean_square + EPSILON)
    y.copy_((normed * weight.float()).to(y.dtype))
