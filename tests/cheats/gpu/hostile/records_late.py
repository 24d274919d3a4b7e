# trick = "A7 event-record-patch"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Start events are recorded only when the end is asked for."""

import torch

record = torch.cuda.Event.record
late = []


def hold(self, stream=None):
    late.append(self)
    if len(late) % 2 == 0:
        record(late[-2])
        record(self)


torch.cuda.Event.record = hold


def run(x, y):
    torch.softmax(x, dim=1, out=y)
