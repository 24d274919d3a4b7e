# trick = "a cache of compiled kernels, by shape"
# expect = ["PASSED"]
# duel = "no refusal"
"""Builds one callable for each shape and keeps it: code, never answers."""

import torch

kernels = {}


def build(columns):
    source = f"def kernel(x, y):\n    torch.softmax(x.view(-1, {columns}), dim=1, out=y)\n"
    names = {"torch": torch}
    exec(compile(source, "kernel", "exec"), names)
    return names["kernel"]


def run(x, y):
    columns = x.shape[1]
    if columns not in kernels:
        kernels[columns] = build(columns)
    kernels[columns](x, y)
