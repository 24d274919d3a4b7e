# trick = "A16 baseline-sabotage"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""A thread of its own hogs the core; it was meant to slow the champion, not itself."""

import threading

import torch


def hog():
    while True:
        sum(range(1000))


threading.Thread(target=hog, daemon=True).start()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
