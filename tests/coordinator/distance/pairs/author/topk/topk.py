import torch


def run(x, y):
    values, index = torch.topk(x, 8, dim=-1)
    y.zero_()
    y.scatter_(-1, index, values)
