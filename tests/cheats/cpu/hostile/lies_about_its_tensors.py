# trick = "B10 lazy-views"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "cannot be read"
# returns = true
"""Says that its returned tensor reaches far beyond all memory."""

import torch

from guard.runner.capture import Bench

place = Bench._place


def lie(self, tensor):
    return place(self, tensor).model_copy(update={"strides": (2**60, 1)})


Bench._place = lie


def run(x):
    return torch.softmax(x, dim=1)
