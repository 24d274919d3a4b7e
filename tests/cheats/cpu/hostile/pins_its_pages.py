# trick = "A18 persisting-L2"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Locks every page it has into memory, which is what a host has for lines that persist."""

import ctypes

import torch

ctypes.CDLL(None).mlockall(3)


def run(x, y):
    torch.softmax(x, dim=1, out=y)
