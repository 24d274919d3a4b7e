import torch


def run(x, gamma, beta, y):
    mean = x.mean(dim=(0, 2, 3), keepdim=True)
    var = ((x - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
    y.copy_((x - mean) / torch.sqrt(var + 1e-5) * gamma[None, :, None, None] + beta[None, :, None, None])
