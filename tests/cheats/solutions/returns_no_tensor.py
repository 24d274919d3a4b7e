"""Returns something whose elements nobody could read."""


def run(x):
    return "softmax"
