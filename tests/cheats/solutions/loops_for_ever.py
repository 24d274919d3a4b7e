"""Never comes back from a call."""


def run(x, y):
    while True:
        pass
