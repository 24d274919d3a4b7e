# Idea: cuBLAS in two calls, each for half of the columns, so that each call's operands fit in L2.
# Predicted: fewer bytes from memory at large M; one more launch at small M.
import torch


def run(a, b_weight, c):
    """Write `c`."""
    half = b_weight.shape[0] // 2
    torch.mm(a, b_weight[:half].t(), out=c[:, :half])
    torch.mm(a, b_weight[half:].t(), out=c[:, half:])
