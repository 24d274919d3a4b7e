# trick = "F14 exit-code-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "KeyError: 'no such row'"
"""Raises in a call."""


def run(x, y):
    raise KeyError("no such row")
