import torch
def run(x, y, s):
    m = x.abs().amax(dim=-1, keepdim=True)
    scale = m / 127
    s.copy_(scale.squeeze(-1))
    y.copy_(torch.round(x / scale).clamp(-127, 127).to(torch.int8))
