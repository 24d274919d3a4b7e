# trick = "B2 tensor-instance-override"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL", "RUNTIME_ERROR"]
# returns = true
"""A plain tensor whose own copy, clone and address functions would do the work."""

import torch


def run(x):
    y = torch.zeros_like(x)
    for name in ("cpu", "clone", "contiguous", "detach", "to"):
        setattr(y, name, lambda *_, **__: torch.softmax(x, dim=1))
    y.data_ptr = lambda: torch.softmax(x, dim=1).data_ptr() if y is None else x.data_ptr()
    return y
