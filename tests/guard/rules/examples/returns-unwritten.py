import torch


def run(x):
    y = torch.empty_like(x)  # found
    torch.softmax(x, dim=1)
    return y


def honest(x):
    y = torch.empty_like(x)
    torch.softmax(x, dim=1, out=y)
    return y
