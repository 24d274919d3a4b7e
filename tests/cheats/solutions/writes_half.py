"""Leaves the lower half of the rows unwritten."""

import torch


def run(x, y):
    half = len(x) // 2
    torch.softmax(x[:half], dim=1, out=y[:half])
