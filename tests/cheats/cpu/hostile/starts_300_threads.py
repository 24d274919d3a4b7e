# trick = "F24 exhaustion"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "can't start new thread"
"""Starts more threads than any runner may have."""

import threading

forever = threading.Event()


def run(x, y):
    for _ in range(300):
        threading.Thread(target=forever.wait, daemon=True).start()
