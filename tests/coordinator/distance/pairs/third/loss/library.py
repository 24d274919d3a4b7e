import torch
import torch.nn.functional as F


def run(logits, target, loss):
    """Mean cross entropy, by the library's own operator."""
    rows = logits.shape[0]
    flat = logits.reshape(rows, -1)
    labels = target.reshape(rows)
    loss.copy_(F.cross_entropy(flat, labels, reduction="mean"))
