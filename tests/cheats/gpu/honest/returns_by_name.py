# trick = "a dict by output name"
# expect = ["PASSED"]
# duel = "no refusal"
# returns = true
"""Returns its output under its name."""

import torch


def run(x):
    return {"y": torch.softmax(x, dim=1)}
