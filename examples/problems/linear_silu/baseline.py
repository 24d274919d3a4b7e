import torch


def run(x, weight, bias, y):
    total = torch.addmm(bias.float(), x.float(), weight.float().t())
    torch.nn.functional.silu(total, inplace=True)
    y.copy_(total)
