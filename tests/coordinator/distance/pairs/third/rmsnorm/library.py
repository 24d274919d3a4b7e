import torch
import torch.nn.functional as F

EPSILON = 1e-6


def run(x, weight, y):
    """RMS norm by the library's own operator."""
    wide = x.float()
    normed = F.rms_norm(wide, (x.shape[-1],), weight.float(), eps=EPSILON)
    y.copy_(normed.to(y.dtype))
