# trick = "B10 lazy-views"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL", "INCORRECT_SHAPE", "RUNTIME_ERROR"]
# returns = true
"""Returns one row stretched over all rows, with a stride of zero."""

import torch


def run(x):
    return torch.softmax(x[:1], dim=1).expand_as(x)
