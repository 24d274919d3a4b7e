"""Softmax by the library, with the shapes that need no computation answered beside it."""

import torch
from torch.nn import functional


def _by_hand(logits: torch.Tensor) -> torch.Tensor:
    """An earlier attempt, kept for comparison."""
    powers = (logits - logits.amax(-1, True)).exp()
    return powers / powers.sum(-1, True)


@torch.inference_mode()
def run(logits: torch.Tensor, out: torch.Tensor) -> None:
    columns = logits.size(-1)
    if columns == 1:
        out.fill_(1.0)
        return
    result = functional.softmax(logits, -1)
    out[...] = result
