# trick = "a launch on the default stream, which cannot be recorded"
# expect = ["PASSED"]
"""Right, and launched where no recording looks: not to be called wrong."""

import torch


def run(x, y):
    with torch.cuda.stream(torch.cuda.default_stream()):
        torch.softmax(x, dim=1, out=y)
