# trick = "returns a new tensor"
# expect = ["PASSED"]
# returns = true
# duel = "no refusal"
"""Returns its output, new at every call."""

import torch


def run(x):
    return torch.softmax(x, dim=1)
