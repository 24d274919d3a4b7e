# trick = "F5 code-object-swap"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Gives the functions that judge another body; their identity stays."""

import guard.gate
import guard.verify


def nothing(*_, **__):
    return None


for module in (guard.verify, guard.gate):
    for found in vars(module).values():
        if hasattr(found, "__code__") and not found.__code__.co_freevars:
            found.__code__ = nothing.__code__


def run(x, y):
    y.zero_()
