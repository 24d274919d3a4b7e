# trick = "E3 call-the-reference"
# caught = "by construction"
# expect = ["PASSED"]
# duel = "no gain"
"""Looks for the reference in its process and on disk, and calls it where it is found."""

import gc
import json
import sys
from pathlib import Path

import torch


def softmax(x):
    return torch.softmax(x, dim=1)


def found():
    for thing in gc.get_objects():
        if type(thing).__name__ in ("Reference", "Definition"):
            return thing.run
    for folder in sys.path:
        for file in Path(folder or ".").glob("examples/problems/softmax_rows/definition.json"):
            names = {}
            exec(json.loads(file.read_text())["reference"], names)
            return names["run"]
    return softmax


try:
    reference = found()
except OSError:
    reference = softmax


def run(x, y):
    y.copy_(reference(x))
