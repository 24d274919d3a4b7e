import torch


def run(x, cos, sin, y):
    half = x.shape[-1] // 2
    lower = x[..., :half]
    upper = x[..., half:]
    rotated = torch.cat((-upper, lower), dim=-1)
    c = cos.unsqueeze(1)
    s = sin.unsqueeze(1)
    y.copy_(x * c + rotated * s)
