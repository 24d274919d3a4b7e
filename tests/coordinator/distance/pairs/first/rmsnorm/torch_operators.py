# Idea: leave it to the library: one addition into the output, then the built-in RMSNorm.
# Predicted: three passes over memory where one is enough; slower than the compiled baseline.
import torch
from torch.nn import functional


def run(x, residual, weight, eps, y, residual_out):
    """Write `y` and `residual_out`."""
    torch.add(x, residual, out=residual_out)
    y.copy_(functional.rms_norm(residual_out, (x.shape[-1],), weight, eps))
