# trick = "in-place work and uninitialised scratch"
# expect = ["PASSED"]
# duel = "no refusal"
"""Allocates without initialising, works in place, and uses its output as scratch memory."""

import torch


def run(x, y):
    largest = torch.empty(len(x), 1)
    torch.amax(x, dim=1, keepdim=True, out=largest)
    y.copy_(x).sub_(largest).exp_()
    y.div_(y.sum(dim=1, keepdim=True))
