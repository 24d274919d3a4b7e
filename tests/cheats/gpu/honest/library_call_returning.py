# trick = "returns a new tensor"
# expect = ["PASSED"]
# duel = "no refusal"
# returns = true
"""Returns its output, new at every call."""

import torch


def run(x):
    return torch.softmax(x, dim=1)
