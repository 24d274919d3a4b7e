# trick = "F24 exhaustion"
# caught = "by construction"
# own_test = "test_what_is_printed_is_kept_short_and_plain"
"""Floods what it prints; its last words are a control sequence."""

import torch

for _ in range(50):
    print("x" * 2**20)
print("\x1b[31mthe end\x07")


def run(x, y):
    torch.softmax(x, dim=1, out=y)
