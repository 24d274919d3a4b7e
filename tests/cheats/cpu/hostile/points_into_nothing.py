# trick = "F12 result-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "cannot be read"
# returns = true
"""Says that its returned tensor lies where nothing is mapped."""

import torch

from guard.runner.capture import Bench

place = Bench._place


def lie(self, tensor):
    return place(self, tensor).model_copy(update={"address": 8})


Bench._place = lie


def run(x):
    return torch.softmax(x, dim=1)
