# trick = "F21 read-harness-files"
# caught = "by construction"
# own_test = "test_no_file_below_a_closed_folder_is_read"
"""Reads a file below a folder of mode 700; tells by a wrong output."""

import torch
from told import PRIVATE


def readable():
    try:
        with open(PRIVATE, "rb") as file:
            return bool(file.read())
    except OSError:
        return False


leaked = readable()


def run(x, y):
    torch.softmax(x, dim=1, out=y)
    if leaked:
        y.zero_()
