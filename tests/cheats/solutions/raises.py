"""Raises in a call."""


def run(x, y):
    raise KeyError("no such row")
