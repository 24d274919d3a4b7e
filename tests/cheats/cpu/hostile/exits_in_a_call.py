# trick = "F14 exit-code-forgery"
# caught = "by check"
# expect = ["RUNTIME_ERROR"]
# evidence = "exit code 0"
"""Ends its process, with success, in the middle of a call."""

import os


def run(x, y):
    os._exit(0)
