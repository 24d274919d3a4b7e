import gc
import inspect
import sys


def run(x, y):
    found = gc.get_objects()  # found
    caller = sys._getframe(1)  # found
    inspect.stack()  # found
    gc.collect()
    y.copy_(x)
