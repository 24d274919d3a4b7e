# trick = "a transposed output"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Writes the right numbers in the order of columns."""

import torch


def run(x, y):
    y.copy_(torch.softmax(x, dim=1).t().reshape(y.shape))
