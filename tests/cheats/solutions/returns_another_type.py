"""Returns another element type than asked for."""

import torch


def run(x):
    return torch.softmax(x.double(), dim=1)
