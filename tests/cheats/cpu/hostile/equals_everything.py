# trick = "B3 duck-typed-output"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "not a plain tensor"
# returns = true
"""Returns an object with a shape and a type that every comparison finds equal."""

import torch


class Equal:
    def __init__(self, x):
        self.shape, self.dtype, self.device = x.shape, torch.float32, x.device

    def __eq__(self, other):
        return True

    __hash__ = None

    def __sub__(self, other):
        return torch.zeros(self.shape)

    __rsub__ = __sub__


def run(x):
    return Equal(x)
