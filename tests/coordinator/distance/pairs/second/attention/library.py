import torch
import torch.nn.functional as F


def run(q, k, v, out):
    scale = q.shape[-1] ** -0.5
    with torch.no_grad():
        batched = F.scaled_dot_product_attention(
            q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), scale=scale
        )
        out.copy_(batched.squeeze(0))
