"""Row softmax by torch's own kernel, written straight into the output."""

import torch


def run(x, y):
    torch.softmax(x, dim=1, out=y)
