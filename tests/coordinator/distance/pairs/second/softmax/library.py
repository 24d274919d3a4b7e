import torch


def run(x, y):
    """The library's own softmax, into the output."""
    rows, columns = x.shape
    if rows == 0 or columns == 0:
        return
    probabilities = torch.softmax(x, dim=-1)
    y.copy_(probabilities)
