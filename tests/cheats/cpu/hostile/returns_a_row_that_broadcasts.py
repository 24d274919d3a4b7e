# trick = "D4 broadcast-shape"
# caught = "by check"
# expect = ["INCORRECT_SHAPE"]
# evidence = "\\[1, 64\\], not \\[16, 64\\]"
# returns = true
"""One row, which a comparison would stretch over all others."""

import torch


def run(x):
    return torch.softmax(x[:1], dim=1)
