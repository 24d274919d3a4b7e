# Idea: widen the weights to float32 and transpose them once, in `prepare`; a call is one addmm.
# Predict: the conversion of every weight in every call is gone, 1.1 to 2 times the baseline.
import torch


def prepare(weight, bias):
    return weight.float().t().contiguous(), bias.float()


def run(x, weight_t, bias, y):
    total = torch.addmm(bias, x.float(), weight_t)
    y.copy_(torch.nn.functional.silu(total, inplace=True))
