import atexit
import weakref


class Late:
    def __del__(self):  # found
        pass


def run(x, y):
    weakref.finalize(x, print)  # found
    y.copy_(x)


atexit.register(print)  # found
