# trick = "B3 duck-typed-output"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "not a plain tensor"
# returns = true
"""Returns something whose elements nobody could read."""


def run(x):
    return "softmax"
