# trick = "D2 expected-value-constant"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "further off"
"""What random inputs give on average."""


def run(x, y):
    y.fill_(1 / x.shape[1])
