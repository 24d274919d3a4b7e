# trick = "A16 baseline-sabotage"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "other processes"
"""Leaves a process that keeps the core busy while the champion is timed."""

import os

import torch

if os.fork() == 0:
    os.setsid()
    while True:
        pass


def run(x, y):
    torch.softmax(x, dim=1, out=y)
