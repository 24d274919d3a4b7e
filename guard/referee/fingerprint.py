"""Notice any change in large tensors without keeping a copy of them.

A fingerprint is a sum of all words, each times a weight that is drawn afresh and stays here: who
does not know the weights cannot make a change that leaves the sum as it was.

    tensors × Generator -> sums, before;  the same generator's seed -> sums, after

Start at `fingerprints`. Not here: what a change means (`clock`).
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def fingerprints(slots: Sequence[Sequence[Tensor]], seed: int) -> Tensor:
    """One number per tensor of each slot; equal seeds and equal bits give equal numbers."""
    found = []
    for column in zip(*slots, strict=True):
        words = _words(column[0])
        generator = torch.Generator(device=words.device).manual_seed(seed)
        weights = torch.empty(words.shape, dtype=torch.int64, device=words.device)
        weights.random_(generator=generator)
        # Odd, so that no change of a single word is lost when the sum wraps around.
        weights.bitwise_or_(1)
        found += [(_words(tensor) * weights).sum() for tensor in column]
    return torch.stack(found) if found else torch.zeros(0, dtype=torch.int64)


def _words(tensor: Tensor) -> Tensor:
    flat = tensor.reshape(-1)
    whole = flat.numel() * flat.itemsize % 8 == 0
    return flat.view(torch.int64) if whole else flat.view(torch.uint8).to(torch.int64)
