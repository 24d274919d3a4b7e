# trick = "A16 baseline-sabotage"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Between saying done and being stopped it fills the caches, which the champion then finds cold."""

import torch

import guard.runner.main as house

say = house.send
heap = torch.zeros(2**22)


def loud(sock, value, *rest, **named):
    say(sock, value, *rest, **named)
    heap.add_(1)


house.send = loud


def run(x, y):
    torch.softmax(x, dim=1, out=y)
