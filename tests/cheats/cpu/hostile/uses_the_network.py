# trick = "E5 runtime-download"
# caught = "by construction"
# own_test = "test_no_network_is_reached"
"""Calls a listener on this host; tells by a wrong output."""

import socket

import torch
from told import PORT


def reached():
    try:
        with socket.create_connection(("127.0.0.1", PORT), timeout=1):
            return True
    except OSError:
        return False


leaked = reached()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
