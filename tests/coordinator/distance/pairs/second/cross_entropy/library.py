"""Cross entropy of each token, by the library."""

import torch
import torch.nn.functional as F


def run(logits, labels, loss):
    with torch.no_grad():
        per_token = F.cross_entropy(logits, labels, reduction="none")
        tokens = per_token.shape[0]
        loss[:tokens].copy_(per_token)
