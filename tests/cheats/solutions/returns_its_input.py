"""Returns what it was given."""


def run(x):
    return x
