# trick = "D5 dtype-narrowing"
# caught = "by check"
# expect = ["INCORRECT_DTYPE"]
# evidence = "float64, not float32"
# returns = true
"""Returns another element type than asked for."""

import torch


def run(x):
    return torch.softmax(x.double(), dim=1)
