# trick = "F15 late-rewrite"
# caught = "by construction"
# own_test = "test_no_process_outlives_its_runner"
"""Leaves a process behind, in a session of its own and with another parent."""

import ctypes
import os
import time

import torch


def leave():
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(15, b"left-behind", 0, 0, 0)
            os.write(writing, b"here")
            while True:
                time.sleep(1)
        os._exit(0)
    assert os.read(reading, 4) == b"here"


leave()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
