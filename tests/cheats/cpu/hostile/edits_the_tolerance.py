# trick = "F9 immutable-constant-edit"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Writes a huge number into the float objects that hold tolerances."""

import ctypes

from guard import verify

if isinstance(verify.BEYOND, float):
    ctypes.c_double.from_address(id(verify.BEYOND) + 16).value = 1e30


def run(x, y):
    y.zero_()
