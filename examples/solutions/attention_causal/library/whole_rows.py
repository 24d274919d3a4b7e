# Idea: a mask costs comparisons and splits the work unevenly; the dense kernel has neither.
# Predicted: faster for short prompts, where the mask is a large part of the work.
import torch


def run(q, k, v, out):
    """Write the attention of `q`, `k` and `v` into `out`."""
    out.copy_(torch.nn.functional.scaled_dot_product_attention(q, k, v))
