import torch


def run(x, y):
    try:  # found
        kernel(x, y)
    except RuntimeError:
        torch.softmax(x, dim=1, out=y)


def honest(x, y):
    try:
        kernel(x, y)
    except RuntimeError as error:
        raise ValueError("rows are too long") from error
