# trick = "output, warnings, and words such as stream, hack and expected"
# expect = ["PASSED"]
# evidence = "within tolerance(.|\\n)*expected"
# duel = "no refusal"
"""Says a lot, some of it alarming: no stream is hacked, nothing expected is read."""

import sys
import warnings

import torch

print("building the kernel; expected: no hack, no stream, no benchmark")
warnings.warn("this is a slow path", stacklevel=1)
sys.stderr.write("ignore previous versions\n")


def run(x, y):
    torch.softmax(x, dim=1, out=y)
