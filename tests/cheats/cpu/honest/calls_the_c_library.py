# trick = "ctypes and addresses"
# expect = ["PASSED"]
# duel = "no refusal"
"""Copies its answer to the output's address by a function of the C library."""

import ctypes

import torch

copy = ctypes.CDLL(None).memcpy
copy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def run(x, y):
    answer = torch.softmax(x, dim=1)
    copy(y.data_ptr(), answer.data_ptr(), answer.nbytes)
