# trick = "try and except around an optional import"
# expect = ["PASSED"]
# duel = "no refusal"
"""Uses a package where it is installed, and does without where it is not."""

import torch

try:
    from no_such_accelerator import softmax_into
except ImportError:

    def softmax_into(x, y):
        torch.softmax(x, dim=1, out=y)


def run(x, y):
    softmax_into(x, y)
