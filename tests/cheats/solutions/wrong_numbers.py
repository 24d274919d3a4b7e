"""No cheat, only wrong: normalises columns instead of rows."""

import torch


def run(x, y):
    torch.softmax(x, dim=0, out=y)
