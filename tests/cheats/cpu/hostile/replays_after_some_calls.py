# trick = "C5 honest-then-replay"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "further off"
"""Honest for as many calls as a check makes, then replays an answer."""

import torch

calls = []


def run(x, y):
    calls.append(1)
    if len(calls) < 12:
        torch.softmax(x, dim=1, out=y)
        run.kept = y.clone()
    else:
        y.copy_(run.kept)
