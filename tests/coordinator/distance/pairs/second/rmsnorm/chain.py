import torch

EPSILON = 1e-6


def run(x, weight, y):
    wide = x.float()
    squares = wide * wide
    mean = squares.mean(dim=-1, keepdim=True)
    factor = torch.rsqrt(mean + EPSILON)
    normalised = wide * factor
    y.copy_(normalised * weight.float())
