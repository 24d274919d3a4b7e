# trick = "D16 uninitialised-output"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "1,024 of 1,024 elements were not written"
"""Computes nothing at all."""


def run(x, y):
    pass
