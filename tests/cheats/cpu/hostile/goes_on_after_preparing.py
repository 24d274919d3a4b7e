# trick = "B4 thread-deferral"
# caught = "by construction"
# problem = "linear_silu"
# expect = ["PASSED"]
# duel = "refused or no gain"
# twin = "prepares_its_weights.py"
"""Starts a thread while it prepares, which works on into the timed blocks."""

import threading

import torch

started = []


def busy(weight):
    while True:
        weight @ weight.t()


def prepare(weight, bias):
    made = weight.float().t().contiguous()
    if not started:
        started.append(threading.Thread(target=busy, args=(made,), daemon=True))
        started[0].start()
    return made, bias.float()


def run(x, weight, bias, y):
    y.copy_(torch.nn.functional.silu(torch.addmm(bias, x.float(), weight)))
