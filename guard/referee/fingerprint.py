"""Notice any change in large tensors without keeping a copy of them.

A fingerprint is a sum of all words, each times a weight that is drawn afresh and stays here: who
does not know the weights cannot make a change that leaves the sum as it was.

    tensors × Generator -> sums, before;  the same generator's seed -> sums, after

Start at `fingerprints`. Not here: what a change means (`clock`).
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from guard.referee.rows import Rows, words


def fingerprints(columns: Iterator[Rows], seed: int) -> Tensor:
    """One number per tensor of each slot; equal seeds and equal bits give equal numbers."""
    found = []
    for rows in columns:
        bits = words(rows.matrix).to(torch.int64)
        generator = torch.Generator(device=bits.device).manual_seed(seed)
        weights = torch.empty(bits.shape[1:], dtype=torch.int64, device=bits.device)
        weights.random_(generator=generator)
        # Odd, so that no change of a single word is lost when the sum wraps around.
        weights.bitwise_or_(1)
        found.append((bits * weights).sum(dim=1))
    return torch.cat(found) if found else torch.zeros(0, dtype=torch.int64)
