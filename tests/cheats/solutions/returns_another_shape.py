"""Returns fewer rows than asked for."""

import torch


def run(x):
    return torch.softmax(x, dim=1)[:-1]
