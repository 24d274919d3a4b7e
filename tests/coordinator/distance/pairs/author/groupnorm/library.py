import torch
def run(x, w, b, y):
    y.copy_(torch.nn.functional.group_norm(x, 8, w, b, eps=1e-5))
