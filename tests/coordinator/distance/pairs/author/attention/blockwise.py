import math
import torch


def run(q, k, v, o):
    """Causal attention, block after block of keys with running maximum and sum."""
    scale = 1.0 / math.sqrt(q.shape[-1])
    batch, heads, tokens, width = q.shape
    positions = torch.arange(tokens, device=q.device)
    top = torch.full((batch, heads, tokens, 1), -1e30, device=q.device)
    mass = torch.zeros((batch, heads, tokens, 1), device=q.device)
    out = torch.zeros((batch, heads, tokens, width), device=q.device)
    for start in range(0, tokens, 256):
        stop = min(start + 256, tokens)
        scores = torch.matmul(q, k[:, :, start:stop].transpose(-2, -1)).float() * scale
        scores = scores.masked_fill(positions[start:stop][None, :] > positions[:, None], -1e30)
        peak = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        probs = torch.exp(scores - peak)
        decay = torch.exp(top - peak)
        mass = mass * decay + probs.sum(dim=-1, keepdim=True)
        out = out * decay + torch.matmul(probs.to(v.dtype), v[:, :, start:stop]).float()
        top = peak
    o.copy_(out / mass)
