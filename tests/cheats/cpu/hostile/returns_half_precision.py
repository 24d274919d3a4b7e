# trick = "D5 dtype-narrowing"
# caught = "by check"
# expect = ["INCORRECT_DTYPE"]
# evidence = "float16, not float32"
# returns = true
"""Half the bytes, in the hope that the checker widens them."""

import torch


def run(x):
    return torch.softmax(x, dim=1).half()
