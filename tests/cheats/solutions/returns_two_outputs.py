"""Returns more outputs than there are."""

import torch


def run(x):
    return torch.softmax(x, dim=1), x
