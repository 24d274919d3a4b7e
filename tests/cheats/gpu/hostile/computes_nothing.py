# trick = "D16 uninitialised-output"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "not written"
"""Launches nothing at all."""


def run(x, y):
    pass
