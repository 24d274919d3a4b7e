import torch
from torch import nn


class PatchProduct(nn.Module):
    def __init__(self, kernel, bias):
        super().__init__()
        rows, cols = kernel.shape[-2:]
        self.patches = nn.Unfold((rows, cols), padding=(rows >> 1, cols >> 1))
        self.kernel = kernel.flatten(1)
        self.bias = bias

    def forward(self, images):
        n, _, h, w = images.shape
        tall = self.patches(images).transpose(1, 2)
        return torch.addmm(self.bias, tall.flatten(0, 1), self.kernel.t()).view(n, h * w, -1).transpose(1, 2).unflatten(2, (h, w))


@torch.inference_mode()
def run(x, w, bias, y):
    y[:] = PatchProduct(w, bias)(x)
