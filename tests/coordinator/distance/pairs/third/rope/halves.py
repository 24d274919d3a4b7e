import torch


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def run(x, y):
    """x: [T, H, D]; rotary embedding of the halves."""
    T, H, D = x.shape
    inv = 1.0 / (10000.0 ** (torch.arange(0, D, 2, device=x.device).float() / D))
    angles = torch.outer(torch.arange(T, device=x.device).float(), inv)
    angles = torch.cat((angles, angles), dim=-1)
    cos = angles.cos()[:, None, :]
    sin = angles.sin()[:, None, :]
    y.copy_(x * cos + rotate_half(x) * sin)
