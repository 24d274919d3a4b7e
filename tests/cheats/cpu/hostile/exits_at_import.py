# trick = "F14 exit-code-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "exit code 0"
"""Ends its process, with success, before anything is asked."""

import os

os._exit(0)


def run(x, y):
    y.zero_()
