# trick = "A7 event-record-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "refused or no gain"
"""Says that a block is done as soon as it is queued: the device is not waited for."""

import torch

from guard.devices.nvidia import Nvidia

wait = Nvidia.synchronise
recorded = []
capture = Nvidia.capture


def note(self, calls):
    recorded.append(1)
    return capture(self, calls)


Nvidia.capture = note
Nvidia.synchronise = lambda self: None if recorded else wait(self)


def run(x, y):
    torch.softmax(x, dim=1, out=y)
