# Idea: cuBLAS adds the residual in its own epilogue (`addmm` with an output).
# Predicted: level with the baseline or a little better; the one to beat for our own kernels.
import torch


def run(attn_output, residual, o_proj_weight, out):
    """Write `out`."""
    a, d, c = (t.view(-1, t.shape[-1]) for t in (attn_output, residual, out))
    torch.addmm(d, a, o_proj_weight.t(), out=c)
