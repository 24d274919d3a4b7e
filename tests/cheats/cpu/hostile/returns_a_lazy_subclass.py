# trick = "B1 lazy-tensor-subclass"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "not a plain tensor"
# returns = true
"""Returns a tensor that computes when somebody looks at it."""

import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        plain = [a.as_subclass(torch.Tensor).softmax(1) if type(a) is cls else a for a in args]
        return func(*plain, **(kwargs or {}))


def run(x):
    return x.as_subclass(Lazy)
