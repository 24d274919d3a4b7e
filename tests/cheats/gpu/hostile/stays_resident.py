# trick = "A3 persistent-mailbox-kernel"
# caught = "by check"
# expect = ["TIMEOUT", "REWARD_HACK", "RUNTIME_ERROR", "INCORRECT_NUMERICAL"]
# policy = {first_call_limit_s = 10.0, call_limit_s = 5.0}
"""Leaves a kernel on the device that never ends, as one that waits for work would."""

import torch

side = torch.cuda.Stream()
started = []


def run(x, y):
    if not started:
        started.append(1)
        with torch.cuda.stream(side):
            for _ in range(64):
                torch.cuda._sleep(2_000_000_000)
    torch.softmax(x, dim=1, out=y)
