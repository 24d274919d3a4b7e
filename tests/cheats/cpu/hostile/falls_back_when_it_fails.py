# trick = "E2 try-except-fallback"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Its own kernel never works; the library stands behind it."""

import ctypes

import torch


def run(x, y):
    try:
        ctypes.CDLL("./my_fast_kernel.so").softmax(x.data_ptr(), y.data_ptr())
    except OSError:
        torch.softmax(x, dim=1, out=y)
