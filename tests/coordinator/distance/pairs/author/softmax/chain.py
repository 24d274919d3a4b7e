import torch
def run(x, y):
    m = x.max(dim=-1, keepdim=True).values
    e = torch.exp(x - m)
    y.copy_(e / e.sum(dim=-1, keepdim=True))
