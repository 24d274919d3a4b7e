import math
import torch
import torch.nn.functional as F


def run(q, k, v, o):
    """Scaled dot product attention by the library's fused operator."""
    scale = 1.0 / math.sqrt(q.shape[-1])
    batch, heads, tokens, width = q.shape
    q = q.contiguous()
    k = k.contiguous()
    v = v.contiguous()
    o.copy_(F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale))
