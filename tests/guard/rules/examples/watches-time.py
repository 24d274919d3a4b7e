import time
from time import sleep

started = time.perf_counter()


def run(x, y):
    sleep(0.001)  # found
    now = time.monotonic_ns()  # found
    y.copy_(x)
