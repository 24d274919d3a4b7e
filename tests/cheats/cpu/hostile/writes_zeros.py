# trick = "D1 tiny-output-zeros"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""Zeros, which a loose absolute tolerance takes for a softmax."""


def run(x, y):
    y.zero_()
