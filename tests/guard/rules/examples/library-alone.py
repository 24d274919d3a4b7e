import torch


def run(x, y):
    """Write `y`."""
    torch.softmax(x, dim=1, out=y)  # found


def other(x, y):
    torch.softmax(x, dim=1, out=y)
