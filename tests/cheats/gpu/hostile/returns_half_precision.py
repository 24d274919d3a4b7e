# trick = "D5 dtype-narrowing"
# caught = "by check"
# expect = ["INCORRECT_DTYPE"]
# evidence = "float16, not float32"
# returns = true
"""Returns half the bytes."""

import torch


def run(x):
    return torch.softmax(x, dim=1).half()
