import torch
from torch import nn
def run(hidden, gain, out):
    layer = nn.RMSNorm(hidden.shape[-1], eps=1e-6, device=hidden.device)
    layer.weight = nn.Parameter(gain.float(), requires_grad=False)
    with torch.no_grad():
        out[:] = layer(hidden.to(torch.float32))
