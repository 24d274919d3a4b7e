import torch
import triton


@triton.jit
def decoy(x, y):  # found
    pass


@triton.jit
def helper(x):
    return x


@triton.jit
def kernel(x, y):
    helper(x)


def run(x, y):
    kernel[(1,)](x, y)
