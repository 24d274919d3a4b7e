import torch
def run(x, y):
    out = torch.zeros_like(y)
    for i in range(0, x.shape[0], 4096):
        out += x[i:i + 4096].sum(0)
    y.copy_(out)
