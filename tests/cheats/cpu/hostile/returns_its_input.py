# trick = "D21 passthrough-alias"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
# returns = true
"""Returns what it was given."""


def run(x):
    return x
