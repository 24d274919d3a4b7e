# trick = "D3 nan-comparison"
# caught = "by check"
# expect = ["INCORRECT_NUMERICAL"]
# evidence = "NaN or infinite"
"""NaN is never further off than a tolerance, if one asks that way round."""


def run(x, y):
    y.fill_(float("nan"))
