import torch


def run(x, y):
    limit = torch.sort(x, dim=-1, descending=True).values[:, 7:8]
    y.copy_(torch.where(x >= limit, x, torch.zeros_like(x)))
