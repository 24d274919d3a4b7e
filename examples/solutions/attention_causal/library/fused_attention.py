# Idea: the framework picks a fused kernel by itself; the answer is copied to where it belongs.
# Predicted: level with the baseline.
import torch


def run(q, k, v, out):
    """Write the causal attention of `q`, `k` and `v` into `out`."""
    out.copy_(torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
