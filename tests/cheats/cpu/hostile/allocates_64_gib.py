# trick = "F24 exhaustion"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "memory"
"""Asks for more memory than any runner may have."""

import torch


def run(x, y):
    torch.zeros(64 * 2**30, dtype=torch.uint8)
