# trick = "F1 comparison-patch"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Every comparison of its process says yes."""

import numpy
import torch

for name in ("allclose", "isclose", "equal"):
    setattr(torch, name, lambda *_, **__: True)
for name in ("allclose", "isclose", "array_equal"):
    setattr(numpy, name, lambda *_, **__: True)
torch.testing.assert_close = lambda *_, **__: None


def run(x, y):
    y.zero_()
