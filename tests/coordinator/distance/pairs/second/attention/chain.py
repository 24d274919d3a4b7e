import torch


def run(q, k, v, out):
    scale = q.shape[-1] ** -0.5
    scores = torch.matmul(q, k.transpose(-1, -2)) * scale
    highest = scores.amax(dim=-1, keepdim=True)
    powers = torch.exp(scores - highest)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    out.copy_(torch.matmul(weights, v))
