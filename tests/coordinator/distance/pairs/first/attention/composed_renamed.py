"""Attention as the formula says it."""

import math

import torch


def run(query, key, value, result):
    """Write the result."""
    factor = 1.0 / math.sqrt(query.shape[-1])
    logits = torch.matmul(query * factor, key.transpose(-2, -1))
    result.copy_(torch.matmul(torch.softmax(logits, -1), value))
