# trick = "D4 broadcast-shape"
# caught = "by check"
# expect = ["INCORRECT_SHAPE"]
# evidence = "2 outputs"
# returns = true
"""Returns more outputs than there are."""

import torch


def run(x):
    return torch.softmax(x, dim=1), x
