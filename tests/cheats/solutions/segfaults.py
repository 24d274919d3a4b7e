"""Reads at address 0."""

import ctypes


def run(x, y):
    ctypes.string_at(0)
