# trick = "A7 event-record-patch"
# caught = "by check"
# expect = ["PASSED"]
# duel = "refused"
# evidence = "never written"
"""Says that a block is done before it begins it, and swallows the second answer."""

import torch

from guard.asks import Done
from guard.runner import main
from guard.runner.capture import Bench

run_block = Bench.block
send = main.send
socket = []
early = []


def hold(sock, *answer):
    socket[:] = [sock]
    if early:
        early.clear()
    else:
        send(sock, *answer)


def lie(self, long):
    send(socket[0], Done())
    early.append(1)
    return run_block(self, long)


main.send = hold
Bench.block = lie


def run(x, y):
    torch.softmax(x, dim=1, out=y)
