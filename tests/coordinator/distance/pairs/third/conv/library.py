import torch
import torch.nn.functional as F


def run(x, w, bias, y):
    """x: [B, C, H, W]; w: [O, C, P, Q]; convolution by the library."""
    pad = (w.shape[2] // 2, w.shape[3] // 2)
    x = x.contiguous()
    w = w.contiguous()
    out = F.conv2d(x, w, bias, stride=1, padding=pad)
    y.copy_(out)
