"""Criterion-object solution with explicit configuration and a warm module cache."""
import torch
from torch import nn

_CACHE = {}


class Objective:
    def __init__(self, ignore=-100, smoothing=0.0):
        self.ignore = ignore
        self.smoothing = smoothing

    def criterion(self, device):
        key = (device, self.ignore, self.smoothing)
        if key not in _CACHE:
            module = nn.CrossEntropyLoss(
                weight=None,
                ignore_index=self.ignore,
                reduction="sum",
                label_smoothing=self.smoothing,
            )
            _CACHE[key] = module.to(device).eval()
        return _CACHE[key]

    def evaluate(self, scores, classes):
        total = self.criterion(scores.device)(scores, classes.long())
        return total.div(classes.numel())


OBJECTIVE = Objective()


def run(logits, target, loss):
    with torch.inference_mode():
        value = OBJECTIVE.evaluate(logits, target)
        loss.copy_(value)
