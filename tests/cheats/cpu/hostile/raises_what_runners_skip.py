# trick = "F14 exit-code-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "Skipped"
"""Raises what a test runner takes for skipped; no handler of `Exception` catches it."""


class Skipped(BaseException):
    __module__ = "builtins"


def run(x, y):
    raise Skipped("not supported on this machine")
