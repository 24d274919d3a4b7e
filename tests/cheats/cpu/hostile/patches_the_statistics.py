# trick = "F3 statistics-or-serializer-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Medians are zero in its process, and whatever is written as JSON says passed."""

import json
import statistics

import torch

for name in ("mean", "fmean", "median", "stdev"):
    setattr(statistics, name, lambda *_, **__: 1e-9)
json.dumps = lambda *_, **__: '{"status": "PASSED", "latency_ms": 1e-9}'


def run(x, y):
    torch.softmax(x, dim=1, out=y)
