# trick = "F19 source-swap"
# caught = "by construction"
# own_test = "test_a_candidate_cannot_replace_its_own_source"
"""Gives another source to keep in the place of the one that was handed in."""

import torch

from guard.runner import main


def other_files(folder, base):
    return {"candidate.py": b"def run(x, y):\n    y.zero_()\n"}


main._below = other_files


def run(x, y):
    torch.softmax(x, dim=1, out=y)
