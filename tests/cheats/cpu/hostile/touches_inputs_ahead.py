# trick = "A20 L2-prefetch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""A thread reads all inputs again and again, so that the coming one might be warm."""

import threading
import time

import torch

seen = []


def touch():
    while True:
        for x in tuple(seen):
            x.sum()
        time.sleep(1e-4)


threading.Thread(target=touch, daemon=True).start()


def run(x, y):
    if not any(x is known for known in seen):
        seen.append(x)
    torch.softmax(x, dim=1, out=y)
