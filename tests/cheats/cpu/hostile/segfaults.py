# trick = "F14 exit-code-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "SIGSEGV"
"""Reads at address 0."""

import ctypes


def run(x, y):
    ctypes.string_at(0)
