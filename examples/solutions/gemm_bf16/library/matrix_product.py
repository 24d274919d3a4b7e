# Idea: cuBLAS, writing straight into the output.
# Predicted: level with the baseline, which is most likely the same call.
import torch


def run(a, b_weight, c):
    """Write `c`."""
    torch.mm(a, b_weight.t(), out=c)
