# trick = "D4 broadcast-shape"
# caught = "by check"
# expect = ["INCORRECT_SHAPE"]
# evidence = "\\[15, 64\\], not \\[16, 64\\]"
# returns = true
"""Returns fewer rows than asked for."""

import torch


def run(x):
    return torch.softmax(x, dim=1)[:-1]
