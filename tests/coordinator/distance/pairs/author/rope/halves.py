import torch
def run(x, cos, sin, y):
    x1, x2 = x.chunk(2, -1)
    c, s = cos[:, None, :], sin[:, None, :]
    h = x.shape[-1] // 2
    y[..., :h] = x1 * c - x2 * s
    y[..., h:] = x2 * c + x1 * s
