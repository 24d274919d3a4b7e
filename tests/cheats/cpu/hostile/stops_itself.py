# trick = "F24 exhaustion"
# caught = "by check"
# expect = ["TIMEOUT"]
# evidence = "1\\.5 s"
# policy = {first_call_limit_s = 1.5, call_limit_s = 1.5}
"""Waits for ever, without using any time."""

import threading


def run(x, y):
    threading.Event().wait()
