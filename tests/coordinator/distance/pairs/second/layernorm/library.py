"""Layer norm, by the library."""

import torch
import torch.nn.functional as functional


def run(x, weight, bias, y):
    with torch.no_grad():
        shape = (x.shape[-1],)
        normalised = functional.layer_norm(x, shape, weight, bias, eps=1e-5)
        y.copy_(normalised)
