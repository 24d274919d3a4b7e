# trick = "B9 wrong-device-output"
# caught = "by check"
# expect = ["RUNTIME_ERROR", "INCORRECT_DTYPE", "INCORRECT_NUMERICAL", "REWARD_HACK"]
# returns = true
"""Returns its output in host memory, so that whoever checks it pays for the copy."""

import torch


def run(x):
    return torch.softmax(x, dim=1).cpu()
