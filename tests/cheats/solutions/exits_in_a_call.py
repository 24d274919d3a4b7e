"""Ends its process, with success, in the middle of a call."""

import os


def run(x, y):
    os._exit(0)
