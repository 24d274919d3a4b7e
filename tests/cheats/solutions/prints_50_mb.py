"""Floods what it prints; its last words are a control sequence."""

import torch

for _ in range(50):
    print("x" * 2**20)
print("\x1b[31mthe end\x07")


def run(x, y):
    torch.softmax(x, dim=1, out=y)
