"""Writes noise where its answers are expected."""

import os


def run(x, y):
    os.write(3, b"\xff" * 64)
