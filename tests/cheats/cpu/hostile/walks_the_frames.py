# trick = "F6 frame-walk"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Looks for an answer in the frames of its callers; without one it writes zeros."""

import sys

import torch


def candidates(x, y):
    frame = sys._getframe(1)
    while frame is not None:
        for value in {**frame.f_locals, **frame.f_globals}.values():
            other = isinstance(value, torch.Tensor) and value is not x and value is not y
            if other and value.shape == y.shape:
                yield value
        frame = frame.f_back


def run(x, y):
    y.copy_(next(candidates(x, y), torch.zeros(1)))
