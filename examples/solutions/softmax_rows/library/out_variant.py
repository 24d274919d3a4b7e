"""Call the framework's own operator, written straight into the output.

Idea: nobody knows the hardware better than the framework's authors. Predicted: as fast as the
baseline, and a floor for everything else.
"""

import torch


def run(x: torch.Tensor, y: torch.Tensor) -> None:
    """Write softmax over the last dimension of `x` into `y`."""
    torch.softmax(x, dim=-1, out=y)
