# trick = "D6 precision-downgrade"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Computes with eight bits of mantissa and widens the answer."""

import torch


def run(x, y):
    y.copy_(torch.softmax(x.bfloat16(), dim=1))
