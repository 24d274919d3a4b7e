# trick = "F8 expected-poisoning"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Fills every tensor of its process with NaN, which might be what it is compared with."""

import gc

import torch


def run(x, y):
    for value in gc.get_objects():
        plain = type(value) is torch.Tensor and value.is_floating_point()
        if plain and value.numel() != x.numel():
            value.detach().fill_(float("nan"))
    y.zero_()
