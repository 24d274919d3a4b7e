"""Torch's fused attention, whichever library it takes here."""

import torch


def run(q, k, v, out):
    out.copy_(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
