# trick = "F17 attack-the-parent"
# caught = "by construction"
# own_test = "test_a_candidate_neither_harms_nor_sees_anything"
"""Connects to a service of the host, as to a user's bus that starts programs for anyone."""

import socket

import torch
from told import ADDRESSES


def reached(address):
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(address)
    except OSError:
        return False
    return True


leaked = any([reached(address) for address in ADDRESSES])


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
