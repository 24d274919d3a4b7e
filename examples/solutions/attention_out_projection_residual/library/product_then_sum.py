# Idea: cuBLAS for the product, then one addition in place.
# Predicted: a second pass over the output; 10 to 20 % slower than the fused call.
import torch


def run(attn_output, residual, o_proj_weight, out):
    """Write `out`."""
    a, c = (t.view(-1, t.shape[-1]) for t in (attn_output, out))
    torch.mm(a, o_proj_weight.t(), out=c)
    out.add_(residual)
